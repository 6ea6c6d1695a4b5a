/* api/asked.ts — what this page has asked the engine for: whoever wants the same in a program has it as a line for curl. */
import { pageTenant } from './tenant';

const ASKED_MAX = 20;

let asked: readonly string[] = [];
let place = '';

/** Notes a question, once; questions of the page before are forgotten. */
export function noteAsked(method: string, url: string): void {
  if (method !== 'GET' || typeof location === 'undefined') return;
  if (location.pathname !== place) {
    place = location.pathname;
    asked = [];
  }
  asked = [...asked.filter((each) => each !== url), url].slice(-ASKED_MAX);
}

/** Addresses of what the page shows now, in the order in which they were asked for. */
export const askedHere = (): readonly string[] => asked;

/** A text between single quotes of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export interface CurlOptions {
  readonly method?: string;
  readonly body?: { readonly type: string; readonly text: string };
  /** Whether somebody has to say who asks. */
  readonly isLocked: boolean;
}

/** The same request as a line for a shell. The token is never in it: it comes from the environment. */
export function curlOf(url: string, { method = 'GET', body, isLocked }: CurlOptions): string {
  const parts = ['curl -sS'];
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) parts.push(`-X ${method}`);
  if (isLocked) parts.push('-H "Authorization: Bearer $PAWL_TOKEN"');
  if (pageTenant !== '') parts.push(`-H ${quoted(`X-Pawl-Tenant: ${pageTenant}`)}`);
  if (body !== undefined) parts.push(`-H ${quoted(`Content-Type: ${body.type}`)}`, `-d ${quoted(body.text)}`);
  return [...parts, quoted(url)].join(' ');
}
