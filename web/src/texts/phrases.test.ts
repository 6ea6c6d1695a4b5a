/* The engine's sentences that have no code are in its source; those that pages show have German ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { builder } from './de/builder';
import { engine } from './de/engine';
import { steps } from './de/steps';
import { builder as englishBuilder } from './en/builder';
import { engineWords } from './engine';
import type { PhraseGroup } from './shape';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** A text in C as people read it: literals side by side are one, every value is %s. */
function plain(source: string): string {
  return source
    .replace(/"\s+"/g, '')
    .replaceAll('\\xe2\\x80\\x9c', '“')
    .replaceAll('\\xe2\\x80\\x9d', '”')
    .replaceAll('\\"', '’')
    .replace(/%(?:\.\*s|zu|lld|llu|u|d|\.1f)/g, '%s')
    .replaceAll('%%', '%');
}

const literals = (source: string) =>
  [...plain(source).matchAll(/"([^"\n]*)"/g)].map(([, text = '']) => text.replaceAll('’', '"'));

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.[ch]$/.test(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

/** The literals of calls whose beginning fits. */
const said = (source: string, call: RegExp) =>
  [...plain(source).matchAll(new RegExp(`${call.source}"([^"\\n]*)"`, 'g'))].map(([, text = '']) =>
    text.replaceAll('’', '"'),
  );

const lacking = (group: PhraseGroup, texts: readonly string[]) =>
  texts.filter((text) => !Object.hasOwn(engine.phrases[group], text));

test('every repair of a problem has German words', () => {
  const files = ['fix/fixes.c', 'graph/fixes.c', 'steps/fixes.c', 'serverless/fixes.c'];
  const source = files.map((file) => read(`src/dialect/${file}`)).join('\n');
  const texts = [
    ...said(source, /fixing_label\(fixing, (?:from \? "[^"]*" : )?/),
    ...said(source, /fixing_label\(fixing, from \? /),
    ...said(source, /remove_member\(fixing, /),
  ].filter((text) => text !== '%s');
  expect(texts.length).toBeGreaterThan(30);
  expect(lacking('fixes', texts)).toEqual([]);
});

/** The arguments of the call whose parenthesis has just been opened, as they are written. */
function argumentsAt(source: string, from: number): readonly string[] {
  const found: string[] = [];
  let [begin, depth, isText] = [from, 0, false];
  for (let at = from; at < source.length; at++) {
    const c = source.charAt(at);
    if (isText && c === '\\') at++;
    else if (c === '"') isText = !isText;
    else if (isText) continue;
    else if (c === '(') depth++;
    else if ((c === ',' || c === ')') && depth === 0) {
      found.push(source.slice(begin, at).trim());
      begin = at + 1;
      if (c === ')') return found;
    } else if (c === ')') depth--;
  }
  return found;
}

test('every hint of a problem has German words', () => {
  const HINT = 3;
  const texts = sources(join(ROOT, 'src'))
    .flatMap((source) =>
      [...source.matchAll(/\bproblem_(?:error|warning)\(/g)].flatMap((call) => {
        const hint = argumentsAt(source, call.index + call[0].length)[HINT] ?? '';
        if (!/^\w+$/.test(hint)) return literals(hint);
        return literals(new RegExp(`static const char ${hint}\\[\\] =\\s+([^;]*);`).exec(source)?.[1] ?? '');
      }),
    )
    .filter((text) => text !== '');
  expect(texts.length).toBeGreaterThan(120);
  const absences =
    read('src/dialect/serverless/read_fields.c').split('} absences[] = {')[1]?.split('};')[0] ?? '';
  const clauses = literals(absences).filter((text) => text.includes(' '));
  expect(clauses.length).toBeGreaterThan(15);
  expect(lacking('hints', [...texts, ...clauses])).toEqual([]);
});

test('where nobody sees the text of a flow, no hint about it names its fields', () => {
  const fields = /"\w+": /;
  const said = Object.keys(engine.phrases.hints).filter((hint) => hint.includes('"default": '));
  expect(said.length).toBeGreaterThan(2);
  for (const { hints } of [builder, englishBuilder]) {
    expect(Object.keys(hints).sort()).toEqual(said.sort());
    expect(Object.values(hints).filter((hint) => fields.test(hint))).toEqual([]);
  }
});

test('every reason of access has German words', () => {
  const explain = read('src/access/permit/principal_explain.c');
  const resolve = read('src/runtime/access/resolve.c');
  const texts = [
    ...literals(
      read('src/access/permit/principal_int.h').split('GRANT_ANSWER_MAP(XX)')[1]?.split('clang-format')[0] ??
        '',
    ),
    ...said(explain, /PUT\(&text, /).filter((text) => /[a-z] [a-z]/.test(text)),
    ...said(explain, /buf_printf\(&text, /).filter((text) => /[a-z] [a-z]/.test(text)),
    ...said(resolve, /refuse\(resolution, /).filter((text) => !text.startsWith('not user:')),
    ...said(resolve, /\.source = STR\(/),
    ...said(read('src/api/access/identify.c'), /access_refuse\(request, /),
  ];
  expect(texts.length).toBeGreaterThan(30);
  // A clause behind another sentence is part of a form.
  const ends = lacking('reasons', texts).filter(
    (text) => !Object.keys(engine.phrases.reasons).some((form) => form.endsWith(text)),
  );
  expect(ends).toEqual([]);
});

test('every sentence about the health of the engine has German words', () => {
  const source =
    read('src/api/operate/overview.c').split('/* ---- health ---- */')[1]?.split('/* ---- overview')[0] ?? '';
  const texts = literals(source).filter((text) => / /.test(text) && !text.includes('{'));
  // The node's is put together, and a job's verb has a space before it.
  const parts = new Set([' is', '“%s”']);
  expect(texts.length).toBeGreaterThan(15);
  expect(
    lacking(
      'health',
      texts.filter((text) => !parts.has(text) && !/^s are$/.test(text)),
    ),
  ).toEqual([]);
});

test('every badge of a step and every limit of a test has German words', () => {
  const badges =
    read('src/runtime/operate/operate_run.c').split('static str badge_of')[1]?.split('\n}')[0] ?? '';
  const limits = read('src/scenario/rehearse.c').split('static bool rests')[1]?.split('\n}')[0] ?? '';
  const texts = [...literals(badges), ...literals(limits).filter((text) => text !== '%s')];
  expect(texts.length).toBeGreaterThan(7);
  expect(lacking('waits', texts)).toEqual([]);
});

test('no German words are for a sentence that the engine does not have', () => {
  const all = [...sources(join(ROOT, 'src')).map(plain), read('contract/node-types.json')]
    .join('\n')
    .replaceAll('’', '"');
  const gone = [...Object.values(engine.phrases), builder.hints].flatMap((phrases) =>
    Object.keys(phrases).filter((form) =>
      form
        .split('%s')
        .map((part) => part.trim())
        .some((part) => part.length > 2 && !all.includes(part) && !all.includes(part.replace(/[.,]$/, ''))),
    ),
  );
  // Words that the engine makes of the names of types.
  const made = [
    'User task',
    'Transformation',
    'Parallel gateway',
    'Join gateway',
    '%s; held by instance %s; place %s of %s.',
    '%s; held by others; place %s of %s.',
  ];
  expect(gone.filter((form) => !made.includes(form))).toEqual([]);
});

describe('a sentence without a code', () => {
  const { sayPhrase, sayTitle } = engineWords(engine);

  test.each<readonly [PhraseGroup, string, string]>([
    ['fixes', 'Remove the line', 'Linie entfernen'],
    ['hints', 'use the id', 'Nehmen Sie die Id.'],
    ['hints', 'did you mean "groups"?', 'Ist "groups" gemeint?'],
    [
      'hints',
      'did you mean "retry"? without it a failed attempt is not repeated',
      'Ist "retry" gemeint? Sonst wird ein gescheiterter Versuch nicht wiederholt.',
    ],
    ['hints', 'it belongs to USER_TASK, WAIT', 'Es gehört zu USER_TASK, WAIT.'],
    ['fixes', 'Remove Ask the boss', '„Ask the boss“ entfernen'],
    ['fixes', 'Fill in Title: "x"', 'Titel ausfüllen: "x"'],
    ['fixes', 'Go to it if nothing else fits', 'Sonst zu diesem Schritt'],
    [
      'reasons',
      'the grant g1 to the group sre gives the role operator, which has instances:retry',
      'die Zuweisung g1 an die Gruppe sre gibt die Rolle operator, und sie hat instances:retry',
    ],
    ['health', '1 job is ready, the oldest for 0.5 s', '1 Auftrag ist bereit, der älteste seit 0.5 s'],
    ['health', 'Nobody polls “pay”: 2 wait', 'Niemand fragt nach „pay“: 2 warten'],
    ['health', 'Nobody polls 3 types of jobs: 1 waits', 'Niemand fragt nach 3 Arten von Aufträgen: 1 wartet'],
    [
      'waits',
      'If nobody answers, a reminder goes out after 2 days, and after 5 days it is passed on to heads.',
      'Wenn niemand antwortet: Erinnerung nach 2 days; nach 5 days geht es an heads.',
    ],
    [
      'waits',
      'If nobody answers, reminders go out after 1 day and again every 1 hour and after 2 hours, and when its time is over the run goes on with “Say no”.',
      'Wenn niemand antwortet: Erinnerung nach 1 day und dann jede Stunde, nach 2 hours; wenn die Zeit um ist, geht der Lauf mit „Say no“ weiter.',
    ],
    ['waits', 'If nobody answers, something new happens.', ''],
    [
      'waits',
      '“Print” waits for the lock “p”; held by instance 01KAB2X6Q8000000000000003G ("print" of badge) and others; place 1 of 2.',
      'Die Sperre hat Lauf 01KAB2X6Q8000000000000003G („print“ in badge) und andere. Platz 1 von 2.',
    ],
    ['waits', 'Failed, 3 tries', 'Fehlgeschlagen, 3 Versuche'],
    ['waits', 'Waits for something', ''],
    ['picture', 'Service task · pay', 'Dienstaufgabe · pay'],
    ['picture', 'amount is more than 1000', 'amount ist mehr als 1,000'],
    ['picture', 'a is 1 and b is not there', 'a ist 1 und b ist nicht da'],
    ['picture', 'a name of somebody', ''],
  ])('%s: %s', (group, own, sentence) => expect(sayPhrase(group, own, steps)).toBe(sentence));

  test('a name is the author’s, unless it is that of a type', () => {
    expect([sayTitle('Ask the boss'), sayTitle('Start on a web request')]).toEqual([
      'Ask the boss',
      'Start durch Webanfrage',
    ]);
  });

  test('in English the engine’s own words stand', () => {
    expect([
      engineWords(null).sayPhrase('fixes', 'Remove the line'),
      engineWords(null).sayTitle('End'),
    ]).toEqual(['', 'End']);
  });
});
