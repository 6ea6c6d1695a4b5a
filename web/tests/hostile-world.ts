/* tests/hostile-world.ts — an engine filled with names that try to be something else: in definitions, runs, keys, data, reasons, workers,
 * triggers, models, entities, tasks, forms, comments, drafts and tables. */
import { type Engine, expect } from './engine';

export const MARKUP = '<img src=x onerror=alert(1)>';
export const LONG = 'Überlänge'.repeat(23).slice(0, 200);
export const HOSTILE: readonly string[] = [
  MARKUP,
  LONG,
  'مرحبا بالعالم \u202Egnp.exe',
  '🦊🧾👩‍👩‍👧 & <b>co</b>',
  'constructor',
  '../..%2f',
];

/** Every name in one text, for places that exist once. */
const ALL = HOSTILE.join(' ');

const form = (name: string) => ({
  type: 'object',
  required: ['choice'],
  properties: {
    choice: { enum: [name, 'other'], title: name, description: name },
    [name]: { type: 'string', title: name, maxLength: 500 },
    many: {
      type: 'array',
      title: name,
      items: { type: 'object', properties: { [name]: { type: 'number' } } },
    },
  },
});

/** A flow whose small amounts fail and whose large ones wait for a person. */
const flow = (name: string, at: number, more: readonly object[] = []) => ({
  dialect: 'graph/1',
  definitionId: name,
  name,
  description: ALL,
  metadata: { tags: [name], sample: { [name]: name, amount: 5000 } },
  settings: { inputSchema: form(name) },
  nodes: [
    { id: 'begin', type: 'trigger_manual', label: name },
    { id: 'hook', type: 'trigger_webhook', label: name, config: { path: `/hook-${at}` } },
    {
      id: 'tick',
      type: 'trigger_schedule',
      label: name,
      config: { cron: '30 9 * * 1', timezone: 'Asia/Tokyo' },
    },
    { id: 'size', type: 'decision', label: name },
    {
      id: name,
      type: 'human_task',
      label: name,
      config: {
        title: name,
        description: ALL,
        groups: [name],
        decisions: [name, 'decline'],
        due: at % 2 === 0 ? '2020-01-01T00:00:00Z' : '2d',
        formSchema: form(name),
      },
    },
    {
      id: 'post',
      type: 'action_http',
      label: name,
      config: { url: 'http://127.0.0.1:1/postings', method: 'POST', body: { [name]: name } },
    },
    { id: 'paid', type: 'end', label: name },
    { id: 'declined', type: 'end', label: 'Declined' },
    ...more,
  ],
  edges: [
    { id: 'e1', from: 'begin', to: 'size' },
    { id: 'e2', from: 'hook', to: 'size' },
    { id: 'e3', from: 'tick', to: 'size' },
    {
      id: 'e4',
      from: 'size',
      to: name,
      label: name,
      condition: { left: '{{ trigger.payload.amount }}', op: 'gt', right: 1000 },
    },
    { id: 'e5', from: 'size', to: 'post', label: name, default: true },
    { id: 'e6', from: name, to: 'post', fromPort: name },
    { id: 'e7', from: name, to: 'declined', fromPort: 'decline' },
    { id: 'e8', from: 'post', to: 'paid' },
  ],
});

/** A flow of steps: a table, then a job for workers. */
const steps = (name: string, at: number) => ({
  id: `steps-${at}`,
  name,
  description: ALL,
  steps: [
    {
      id: 'tier',
      name,
      type: 'DECISION_TABLE',
      hitPolicy: 'F',
      nextStep: 'work',
      decisionTable: {
        rules: [
          { when: { score: 'score < 500' }, outputs: { tier: name, rate: 0 } },
          { when: {}, outputs: { tier: ALL, rate: 9 } },
        ],
      },
    },
    { id: 'work', name, type: 'SERVICE_TASK', jobType: name, nextStep: 'end' },
    { id: 'end', name, type: 'END' },
  ],
});

/** A flow that needs a connection, whose name is all that an author can choose freely. */
const mailing = (name: string) => ({
  dialect: 'graph/1',
  definitionId: 'mailing',
  name,
  nodes: [
    { id: 'start', type: 'trigger_manual', label: name },
    {
      id: 'mail',
      type: 'action_email',
      label: name,
      config: { connectionRef: 'vault:mail-of-nobody', to: 'ann@a.example', subject: name, body: name },
    },
    { id: 'end', type: 'end', label: name },
  ],
  edges: [
    { from: 'start', to: 'mail' },
    { from: 'mail', to: 'end' },
  ],
});

const manual = (name: string, next: string) => ({ name, next, manual: true });
const workflow = (name: string) => ({
  name,
  version: '1',
  initialState: 'NEW',
  active: true,
  states: {
    NEW: {
      transitions: [
        manual('CHECK', 'CHECKED'),
        manual('a_transition_with_a_name_that_is_long_'.repeat(3), 'NEW'),
      ],
    },
    CHECKED: { transitions: [manual('BACK', 'NEW')] },
  },
});

const textAt = (answer: unknown, ...path: readonly (string | number)[]): string =>
  String(path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), answer));

async function makeRuns(
  engine: Engine,
  name: string,
  at: number,
): Promise<{ failed: string; waits: string }> {
  const started = async (amount: number) =>
    textAt(
      await engine.send('POST', '/v1/instances', {
        definitionId: name,
        businessKey: `${name.slice(0, 190)} ${amount}`,
        variables: { choice: name, amount, [name]: ALL.slice(0, 500), nested: { [name]: ALL } },
      }),
      'id',
    );
  const failed = await started(1);
  const waits = await started(5000);
  await engine.send('POST', '/v1/instances', {
    definitionId: `steps-${at}`,
    variables: { score: 1, [name]: name },
  });
  return { failed, waits };
}

/** Two jobs of a kind: a worker takes both, one of them fails with the name as its reason. */
async function work(engine: Engine, name: string, at: number): Promise<void> {
  await engine.send('POST', '/v1/instances', { definitionId: `steps-${at}`, variables: { score: 900 } });
  const polled = await engine.send('POST', '/v1/jobs/poll', {
    jobTypes: [name],
    workerId: name.slice(0, 120),
    maxJobs: 2,
  });
  await engine.send('POST', `/v1/jobs/${textAt(polled, 'jobs', 0, 'id')}/fail`, {
    workerId: name.slice(0, 120),
    ...(at === 4 ? {} : { errorMessage: name }),
  });
}

async function makeEntities(engine: Engine, name: string): Promise<string> {
  const model = `${encodeURIComponent(name)}/1`;
  await engine.send('POST', `/api/model/import/JSON/SAMPLE_DATA/${model}`, {
    [name]: name,
    name,
    amount: 1,
    nested: { [name]: [name] },
  });
  await engine.send('POST', `/api/model/${model}/workflow/import`, { workflows: [workflow(name)] });
  await engine.send('PUT', `/api/model/${model}/lock`);
  const made = await engine.send('POST', `/api/entity/JSON/${model}`, {
    [name]: ALL,
    name,
    amount: 2,
    nested: { [name]: [ALL] },
  });
  return textAt(made, 0, 'entityIds', 0);
}

export interface World {
  readonly failed: string;
  readonly waits: string;
  readonly task: string;
  readonly entity: string;
}

/** Fills the engine; returns the ids of what has the markup or all of the names. */
export async function fillWorld(engine: Engine): Promise<World> {
  let world: World = { failed: '', waits: '', task: '', entity: '' };
  for (const [at, name] of HOSTILE.entries()) {
    await engine.send('POST', '/v1/definitions', flow(name, at));
    await engine.send('POST', '/v1/definitions', steps(name, at));
    const runs = await makeRuns(engine, name, at);
    await work(engine, name, at);
    const entity = await makeEntities(engine, name);
    await engine.send('PUT', `/api/workflows/${encodeURIComponent(`draft ${name}`)}/draft`, {
      ...flow(name, at + 20),
      definitionId: `draft ${name}`,
    });
    if (at === 1) world = { ...world, ...runs };
    if (at === 0) world = { ...world, entity };
  }
  // A second version, to be compared with the first.
  await engine.send('POST', '/v1/definitions', flow(MARKUP, 0, [{ id: 'late', type: 'end', label: ALL }]));
  await engine.send('PUT', '/api/secrets/mail-of-nobody', { value: MARKUP });
  await engine.send('POST', '/v1/definitions', mailing(LONG));
  const task = textAt(
    await engine.send('GET', `/api/tasks?group=${encodeURIComponent(MARKUP)}`),
    'items',
    0,
    'id',
  );
  await engine.send('POST', `/api/tasks/${task}/comment`, { by: MARKUP, comment: ALL });
  await fetch(`${engine.url}/v1/events`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/cloudevents+json' },
    body: JSON.stringify({
      specversion: '1.0',
      id: MARKUP,
      source: '/shop',
      type: LONG,
      subject: MARKUP,
      data: { [MARKUP]: ALL },
    }),
  });
  await expect
    .poll(async () => textAt(await engine.send('GET', '/api/overview'), 'counts', 'failed'))
    .toBe(String(2 * HOSTILE.length));
  return { ...world, task };
}
