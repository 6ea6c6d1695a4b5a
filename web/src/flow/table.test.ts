import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

import type { NodeParam } from './data';
import { setFieldOf } from './edit';
import { findNode, type Flow, nodesOf, openValue } from './flow';
import { isSteps } from './format';
import { TYPE_ALIASES } from './graph/read';
import { isList, isObject, type Json, type JsonObject, withPath } from './json';
import { stepTypes } from './steps/types';
import { isMeant, nameIn, readTable, settingPlace, settingsOf, shownOf, type TableAnswer } from './table';

const ROOT = join(__dirname, '../../..');
const ANSWER = JSON.parse(readFileSync(join(ROOT, 'contract/node-types.json'), 'utf8')) as TableAnswer;
const TABLE = readTable(ANSWER);
const BINARY = resolve(ROOT, process.env['PAWL_BINARY'] ?? 'build/pawl');

test('the builder knows the other names of types', () => {
  const wanted = ANSWER.nodeTypes.flatMap(({ type, aliases }) =>
    [type, ...(aliases ?? [])].map((name) => [name.toLowerCase(), type]),
  );
  for (const [name, type] of TYPE_ALIASES) expect(wanted).toContainEqual([name, type]);
  for (const [name, type] of wanted) expect(TYPE_ALIASES.get(name ?? '') ?? type, name).toBe(type);
});

test('a schedule of the five fields is shown as one, whatever its mode and spelling say', () => {
  const params = TABLE.types.get('trigger_cron')?.params ?? [];
  const show = (name: string, config: JsonObject) => {
    const param = params.find((each) => each.name === name);
    return param === undefined ? null : isMeant(param, params, config) && shownOf(param, params, config);
  };
  expect(show('scheduleMode', { cronExpression: '0 8 * * 1' })).toBe('Cron');
  expect(show('cronExpression', { cron: '0 8 * * 1' })).toBe('0 8 * * 1');
  expect(show('intervalValue', { cron: '0 8 * * 1' })).toBe(false);
  expect(show('scheduleMode', { scheduleMode: 'cron' })).toBe('Cron');
  expect(show('timeZone', { timezone: 'Europe/Berlin' })).toBe('Europe/Berlin');
  expect(show('scheduleMode', {})).toBe('Interval');
  expect(show('intervalValue', {})).toBe(15);
});

/* ---- what the panel shows is what the engine does ----
 *
 * A document in which each field says what the panel shows compiles to the same program as the document itself. */

function documentsIn(value: Json): Flow[] {
  if (isList(value)) return value.flatMap(documentsIn);
  if (!isObject(value)) return [];
  const { nodes, steps } = value;
  const [first] = isList(steps) ? steps : [];
  const isOne = isList(nodes) || (isObject(first) && typeof first['type'] === 'string');
  if (isOne && openValue(value).kind === 'flow') return [value];
  return Object.values(value).flatMap((part) => documentsIn(part ?? null));
}

function allDocuments(): readonly Flow[] {
  const folders = ['examples', 'examples/templates', 'examples/graph', 'examples/demo', 'tests/scenario'];
  folders.push(
    'tests/unit/dialect/golden',
    'tests/unit/dialect/golden/graph',
    'tests/unit/runtime/documents',
  );
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(ROOT, folder, name)),
  );
  const found = files.flatMap((file) => documentsIn(JSON.parse(readFileSync(file, 'utf8')) as Json));
  return [...new Map(found.map((flow) => [JSON.stringify(flow), flow])).values()];
}

const given = (params: readonly NodeParam[], object: JsonObject) =>
  params.flatMap((param) => {
    const value = isMeant(param, params, object) ? shownOf(param, params, object) : undefined;
    return value === undefined ? [] : [{ name: nameIn(param, object), value }];
  });

/* A program keeps these as they were given; the engine reads them as if they were not there. */
const SAME_AS_NOTHING =
  /,"opaque":false|,?"openForm":false|,"zone":"UTC"|, ?"readOnly": ?false|,"input":{}|,"version":"latest"|"version": (null|"latest"), /g;

/* Documents of the older form have these; the builder leaves them to the text. */
const OLDER = ['LogicGate', 'SwitchGate', 'FanInGate', 'StaticForLoop', 'SetContext'];

function asShown(flow: Flow): Flow {
  const types = isSteps(flow) ? stepTypes(TABLE) : TABLE.types;
  let shown = flow;
  for (const { id, type, list } of nodesOf(flow)) {
    const params = types.get(type)?.params ?? [];
    for (const { name, value } of given(params, findNode(shown, id)?.config ?? {})) {
      const node = findNode(shown, id);
      if (node !== undefined && list !== 'start') shown = setFieldOf(shown, node, [name], value);
    }
  }
  if (isSteps(flow)) return shown;
  for (const { name, value } of given(TABLE.settings, settingsOf(flow, TABLE.settings)))
    shown = withPath(shown, settingPlace(shown, name), value);
  return shown;
}

/* One shell for all of them: Node takes longer to start a process than the process does. */
const EXPLAIN = 'for f in "$@"; do "$0" explain "$f" >"$f.txt" 2>/dev/null || rm "$f.txt"; done';

/** The programs of documents; null: it is refused. */
function explainAll(flows: readonly Flow[]): readonly (string | null)[] {
  const folder = mkdtempSync(join(tmpdir(), 'shown-'));
  try {
    const files = flows.map((flow, i) => {
      const file = join(folder, `${i}.json`);
      writeFileSync(file, JSON.stringify(flow));
      return file;
    });
    execFileSync('sh', ['-c', EXPLAIN, BINARY, ...files]);
    return files.map((file) =>
      existsSync(`${file}.txt`) ? readFileSync(`${file}.txt`, 'utf8').replaceAll(SAME_AS_NOTHING, '') : null,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.skipIf(!existsSync(BINARY))('the panel shows what the engine does', () => {
  const documents = allDocuments();
  expect(documents.length).toBeGreaterThan(350);
  const programs = explainAll(documents);
  const shown = explainAll(documents.map(asShown));
  const seen = new Set<string>();
  documents.forEach((flow, i) => {
    if (programs[i] === null) return;
    for (const { type } of nodesOf(flow)) seen.add(type);
    expect.soft(shown[i], JSON.stringify(flow)).toBe(programs[i]);
  });
  for (const type of [...TABLE.types.keys(), ...ANSWER.stepTypes.map((each) => each.type)])
    if (!OLDER.includes(type)) expect(seen, type).toContain(type);
});
