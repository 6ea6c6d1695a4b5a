/* tests/german-world.ts — an engine of a German office: all that people have named is in German, so that any English on a page is ours.
 * Runs that failed in several ways, waits of several kinds, tasks with deadlines, warnings, jobs, locks, events, entities, tables. */
import { type Engine, expect } from './engine';

const textAt = (answer: unknown, ...path: readonly (string | number)[]): string =>
  String(path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), answer));

/** Small amounts call a service that is not there, large ones wait for somebody. No label is ours. */
export const RECHNUNG = {
  dialect: 'graph/1',
  definitionId: 'rechnung',
  name: 'Rechnung',
  nodes: [
    { id: 'anfang', type: 'trigger_manual', label: 'Rechnung kommt' },
    { id: 'netz', type: 'trigger_webhook', config: { path: '/rechnung' } },
    { id: 'takt', type: 'trigger_schedule', config: { cron: '30 9 * * 1', timezone: 'Europe/Berlin' } },
    { id: 'groesse', type: 'decision' },
    {
      id: 'frage',
      type: 'human_task',
      label: 'Chefin fragen',
      config: {
        title: 'Rechnung freigeben',
        groups: ['Buchhaltung'],
        decisions: ['ja', 'nein'],
        due: '2020-01-01T00:00:00Z',
        timeout: '3d',
        reminders: [{ after: '1d', every: '12h' }],
        escalation: { after: '2d', groups: ['Leitung'] },
      },
    },
    {
      id: 'buchen',
      type: 'action_http',
      label: 'Buchen',
      config: { url: 'http://127.0.0.1:1/buchen', method: 'POST', body: {} },
    },
    { id: 'ende', type: 'end' },
    { id: 'abgelehnt', type: 'end', label: 'Abgelehnt' },
  ],
  edges: [
    { id: 'e1', from: 'anfang', to: 'groesse' },
    { id: 'e2', from: 'netz', to: 'groesse' },
    { id: 'e3', from: 'takt', to: 'groesse' },
    {
      id: 'e4',
      from: 'groesse',
      to: 'frage',
      condition: { left: '{{ trigger.payload.betrag }}', op: 'gt', right: 1000 },
    },
    { id: 'e5', from: 'groesse', to: 'buchen', default: true },
    { id: 'e6', from: 'frage', to: 'buchen', fromPort: 'ja' },
    { id: 'e7', from: 'frage', to: 'abgelehnt', fromPort: 'nein' },
    { id: 'e8', from: 'buchen', to: 'ende' },
  ],
};

/** One step at a time holds the lock; the flow has a warning (its template text stays as it is). */
const DRUCKEN = {
  dialect: 'graph/1',
  definitionId: 'drucken',
  name: 'Drucken',
  nodes: [
    { id: 'anfang', type: 'trigger_manual', label: 'Anfang' },
    {
      id: 'halten',
      type: 'human_task',
      label: 'Papier holen',
      lock: 'Drucker',
      config: { title: 'Papier holen', groups: ['Lager'], decisions: ['ja'] },
    },
    { id: 'pause', type: 'delay', config: { duration: '2d' } },
    { id: 'ende', type: 'end', label: 'Ende' },
  ],
  edges: [
    { id: 'e1', from: 'anfang', to: 'halten' },
    { id: 'e2', from: 'halten', to: 'pause', fromPort: 'ja' },
    { id: 'e3', from: 'pause', to: 'ende' },
  ],
};

const SCHRITTE = {
  id: 'schritte',
  name: 'Schritte',
  steps: [
    {
      id: 'stufe',
      name: 'Stufe',
      type: 'DECISION_TABLE',
      hitPolicy: 'F',
      nextStep: 'arbeit',
      decisionTable: { rules: [{ when: { punkte: 'punkte < 500' }, outputs: { stufe: 'niedrig' } }] },
    },
    {
      id: 'arbeit',
      name: 'Arbeit',
      type: 'SERVICE_TASK',
      jobType: 'arbeit',
      nextStep: 'warten',
      retryCount: 3,
    },
    { id: 'warten', name: 'Warten', type: 'WAIT', nextStep: 'ende' },
    { id: 'ende', name: 'Ende', type: 'END' },
  ],
};

/** A draft with problems that a button mends. */
export const ENTWURF = {
  dialect: 'graph/1',
  definitionId: 'entwurf',
  name: 'Entwurf',
  nodes: [
    { id: 'anfang', type: 'trigger_manual', label: 'Anfang' },
    { id: 'weiche', type: 'decision', label: 'Weiche' },
    { id: 'warten', type: 'delay', label: 'Kurz warten', config: {} },
    {
      id: 'frage',
      type: 'human_task',
      label: 'Frage',
      config: { decisions: ['ja', 'nein'], grops: ['Lager'] },
    },
    { id: 'insel', type: 'set_variables', label: 'Insel', config: { assignments: { x: 1 } } },
    { id: 'ende', type: 'end', label: 'Ende' },
  ],
  edges: [
    { id: 'e1', from: 'anfang', to: 'weiche' },
    {
      id: 'e2',
      from: 'weiche',
      to: 'warten',
      condition: { left: '{{ trigger.payload.betrag }}', op: 'gt', right: 1 },
    },
    { id: 'e3', from: 'weiche', to: 'frage' },
    { id: 'e4', from: 'warten', to: 'ende' },
    { id: 'e5', from: 'frage', to: 'ende', fromPort: 'ja' },
    { id: 'e6', from: 'ende', to: 'anfang' },
  ],
};

/** Nobody does its work. */
const WARNUNG = {
  id: 'warnung',
  name: 'Warnung',
  steps: [
    { id: 'arbeit', name: 'Arbeit', type: 'SERVICE_TASK', jobType: 'nie', nextStep: 'ende' },
    { id: 'ende', name: 'Ende', type: 'END' },
  ],
};

const BRIEF = {
  dialect: 'graph/1',
  definitionId: 'brief',
  name: 'Brief',
  nodes: [
    { id: 'anfang', type: 'trigger_manual', label: 'Anfang' },
    {
      id: 'post',
      type: 'action_email',
      label: 'Brief senden',
      config: {
        connectionRef: 'vault:post',
        from: 'amt@a.example',
        to: 'ann@a.example',
        subject: 'Hallo',
        body: 'Hallo',
      },
    },
    { id: 'ende', type: 'end', label: 'Ende' },
  ],
  edges: [
    { from: 'anfang', to: 'post' },
    { from: 'post', to: 'ende' },
  ],
};

export interface GermanWorld {
  readonly failed: string;
  readonly asks: string;
  readonly locked: string;
  readonly tries: string;
  readonly table: string;
  readonly cancelled: string;
  readonly task: string;
  readonly entity: string;
}

async function makeEntity(engine: Engine): Promise<string> {
  await engine.send('POST', '/api/model/import/JSON/SAMPLE_DATA/auftrag/1', { name: 'Tisch', menge: 1 });
  await engine.send('POST', '/api/model/auftrag/1/workflow/import', {
    workflows: [
      {
        name: 'Auftrag',
        version: '1',
        initialState: 'NEU',
        active: true,
        states: {
          NEU: { transitions: [{ name: 'prüfen', next: 'GEPRUEFT', manual: true }] },
          GEPRUEFT: { transitions: [] },
        },
      },
    ],
  });
  await engine.send('PUT', '/api/model/auftrag/1/lock');
  const made = await engine.send('POST', '/api/entity/JSON/auftrag/1', { name: 'Tisch', menge: 2 });
  return textAt(made, 0, 'entityIds', 0);
}

export async function fillGermanWorld(engine: Engine): Promise<GermanWorld> {
  for (const flow of [RECHNUNG, DRUCKEN, SCHRITTE, WARNUNG, BRIEF])
    await engine.send('POST', '/v1/definitions', flow);
  await engine.send('POST', '/v1/definitions', { ...RECHNUNG, name: 'Rechnung mit Skonto' });
  await engine.send('PUT', '/api/workflows/entwurf/draft', ENTWURF);
  await engine.send('PUT', '/api/secrets/post', { value: 'smtp://127.0.0.1:1' });
  const start = async (definitionId: string, variables: object) =>
    textAt(await engine.send('POST', '/v1/instances', { definitionId, variables }), 'id');
  const failed = await start('rechnung', { betrag: 1 });
  const asks = await start('rechnung', { betrag: 5000 });
  await start('drucken', {});
  const locked = await start('drucken', {});
  const tries = await start('schritte', { punkte: 1 });
  const table = await start('schritte', { punkte: 900 });
  await start('warnung', {});
  await start('brief', {});
  const cancelled = await start('schritte', { punkte: 2 });
  await engine.send('POST', `/v1/instances/${cancelled}/cancel`, {});
  const polled = await engine.send('POST', '/v1/jobs/poll', {
    jobTypes: ['arbeit'],
    workerId: 'amsel',
    maxJobs: 1,
  });
  await engine.send('POST', `/v1/jobs/${textAt(polled, 'jobs', 0, 'id')}/fail`, {
    workerId: 'amsel',
    errorMessage: 'Kein Papier',
  });
  const entity = await makeEntity(engine);
  await fetch(`${engine.url}/hooks/rechnung`, { method: 'POST', body: 'kein JSON' });
  await engine
    .send('POST', '/v1/events', {
      specversion: '1.0',
      id: '1',
      source: '/laden',
      type: 'bestellt',
      data: {},
    })
    .catch(() => null);
  await expect
    .poll(async () => Number(textAt(await engine.send('GET', '/api/overview'), 'counts', 'failed')))
    .toBeGreaterThanOrEqual(2);
  const task = textAt(await engine.send('GET', '/api/tasks?group=Buchhaltung'), 'items', 0, 'id');
  await engine.send('POST', `/api/tasks/${task}/comment`, { by: 'ada', comment: 'Eilt sehr.' });
  return { failed, asks, locked, tries, table, cancelled, task, entity };
}
