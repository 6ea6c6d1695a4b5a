/* api/scenarios.ts — a run as a test: a scenario file that replays it. */
import { authorizedFetch } from './client';
import { problemOf } from './problem';

/** The text of the file. */
export async function scenarioOf(id: string): Promise<string> {
  const response = await authorizedFetch(`/api/instances/${encodeURIComponent(id)}/scenario`);
  const text = await response.text();
  if (!response.ok) throw problemOf(response.status, text);
  return text;
}
