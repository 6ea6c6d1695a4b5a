/* The engine's lists are in its source; the page of docs/ is written from them (tests/docs/test_errors.py). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { engine } from './de/engine';
import { engineWords } from './engine';
import type { Saying } from './shape';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');

/** The codes in a column of a table that docs/errors.md has. */
function codesOf(table: string, column: number): string[] {
  const rows = page.split(`<!-- ${table} -->\n`)[1]?.split('<!-- end -->')[0]?.trim().split('\n').slice(2);
  return (rows ?? []).map((row) => row.split('|')[column + 1]?.trim().replaceAll('`', '') ?? '');
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.[ch]$/.test(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

const sorted = (codes: Iterable<string>) => [...new Set(codes)].sort();

test('each problem of a document has a German sentence', () => {
  expect(sorted(Object.keys(engine.problems))).toEqual(sorted(codesOf('problems', 0)));
});

test('each status of a refusal has a German sentence', () => {
  expect(sorted(Object.keys(engine.refusals))).toEqual(sorted(codesOf('statuses', 2)));
});

test('each code of a refusal has a German sentence', () => {
  const used = sources(join(ROOT, 'src')).flatMap((text) =>
    [
      ...text.matchAll(
        /\bfail_code\(\s*[^",;]+,\s*[^",;]+,\s*([^",;]*"[A-Za-z_0-9-]+"(?:\s*:\s*"[A-Za-z_0-9-]+")?)\s*,/g,
      ),
    ].flatMap(([, code = '']) => [...code.matchAll(/"([^"]+)"/g)].map(([, each = '']) => each)),
  );
  expect(used.length).toBeGreaterThan(150);
  expect(sorted(used).filter((code) => !Object.hasOwn(engine.codes, code))).toEqual([]);
});

test('no German sentence is for a code that the engine does not have', () => {
  const all = sources(join(ROOT, 'src')).join('\n');
  expect(Object.keys(engine.codes).filter((code) => !all.includes(`"${code}"`))).toEqual([]);
});

test('each code that clients of entities know has a German sentence', () => {
  const text = readFileSync(join(ROOT, 'src/runtime/entities/entity_errors.c'), 'utf8');
  const [list = ''] = text.split('entity_error_http');
  const codes = [...list.matchAll(/"([A-Z_]{4,})"/g)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(10);
  expect(sorted(codes).filter((code) => !Object.hasOwn(engine.codes, code))).toEqual([]);
});

test('each code of a failure has a German headline', () => {
  const text = readFileSync(join(ROOT, 'src/program/reason.h'), 'utf8');
  const codes = [...(text.split('enum reason_code')[0] ?? '').matchAll(/XX\(([A-Z_]+)\)/g)].map(
    ([, code = '']) => code,
  );
  expect(codes.length).toBeGreaterThan(10);
  expect(sorted(Object.keys(engine.failures))).toEqual(sorted(codes));
});

test('each reason of a wait has a German sentence', () => {
  const text = readFileSync(join(ROOT, 'src/dialect/show/saying.h'), 'utf8');
  const codes = [...text.matchAll(/XX\([A-Z_]+,\s*"([a-z-]+)"/g)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(30);
  expect(sorted(Object.keys(engine.sayings))).toEqual(sorted(codes));
});

describe('a reason is a sentence', () => {
  const { sayFailure, sayWait } = engineWords(engine);
  const names = ['anna', 'ben'];

  test.each<readonly [Saying, string]>([
    [{ code: 'person', title: 'Ask', names, others: 1 }, '„Ask“ wartet auf anna, ben oder 1 anderer.'],
    [
      { code: 'group', title: 'Ask', names: ['Büro'], late: true },
      '„Ask“ wartet auf jemanden aus Büro und ist überfällig.',
    ],
    [
      { code: 'worker', title: 'Pay', names: ['pay'], failed: 2 },
      '„Pay“ ist 2-mal fehlgeschlagen und wird noch einmal versucht: wartet auf einen Worker für „pay“.',
    ],
    [
      { code: 'again', title: 'Pay', failed: 1 },
      '„Pay“ ist einmal fehlgeschlagen und wird von selbst noch einmal versucht.',
    ],
    [
      { code: 'event', title: 'W', names: ['paid', 'late'], key: '7', stopped: true },
      '„W“ steht still, weil der Lauf fehlgeschlagen ist: wartet auf das Ereignis „paid“ oder „late“ mit der Kennung 7.',
    ],
    [
      { code: 'failed', title: 'Call', reason: 'no answer', reasonCode: 'HTTP_503' },
      '„Call“ ist fehlgeschlagen: Der Webdienst hat nicht geantwortet (503).',
    ],
    [
      { code: 'failed', title: 'Print', reason: 'the printer burns' },
      '„Print“ ist fehlgeschlagen: the printer burns.',
    ],
    [{ code: 'items', title: 'Each', done: 1, total: 3 }, '„Each“ hat 1 von 3 Dingen erledigt.'],
    [{ code: 'cancelled', reason: 'not needed' }, 'Abgebrochen: not needed.'],
    [{ code: 'of-a-newer-engine' }, ''],
  ])('%j', (saying, sentence) => expect(sayWait(saying)).toBe(sentence));

  test('answers of web services have one for each status', () => {
    for (let status = 400; status < 600; status++)
      expect(sayFailure(`HTTP_${status}`)).toContain(`(${status})`);
    expect(sayFailure('PRINTER_HOT')).toBe('');
    expect(sayFailure(undefined)).toBe('');
  });

  test('English has none: the engine says it', () => {
    const english = engineWords(null);
    expect(english.sayWait({ code: 'person' })).toBe('');
    expect(
      english.sayFailure('HTTP_503') +
        english.sayRefusal('RUNS_LEFT', 'conflict') +
        english.sayProblem('SYNTAX'),
    ).toBe('');
  });
});
