/* texts/texts.test.ts — every visible text comes from the tables, and the tables of all languages say the same with the same values. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { farFont, languageFor } from './language';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));
const LETTERS = /\p{L}/u;

/* ---- what is shown comes from the tables ---- */

/** Attributes that people see or hear. */
const SPOKEN =
  /^(title|alt|placeholder|label|help|what|head|word|says|note|question|aria-(label|description|roledescription|valuetext))$/;

/** Texts with letters that are no sentences: names, keys and code, which are the same in every language. Only ever shorter. */
const NO_TEXTS = new Set<string>([
  'Pawl',
  'https://login.example.org/realms/acme',
  'Authorization: Bearer',
  'user:ada',
  'instance.*',
  'APPROVE, SHIP',
  'pawl serve --smtp vault:NAME',
  'pawl user password NAME',
  'pawl user add NAME --role admin',
  '--users',
  '--access-file',
  'openapi.json',
  'POST /api/model/import',
  'v',
  'A',
  'F',
  'F8',
  'J',
  'K',
  'N',
]);

function files(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path, ending) : ending.test(entry.name) ? [path] : [];
  });
}

/** The texts that the source of a page shows without a table. */
function bareTexts(path: string): string[] {
  const source = ts.createSourceFile(
    path,
    readFileSync(path, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TSX,
  );
  const found: string[] = [];
  const take = (text: string) => {
    const said = text.replace(/\s+/g, ' ').trim();
    if (LETTERS.test(said)) found.push(said);
  };
  /* The texts that an expression may be: `isOpen ? 'Open' : name`, `${count} left`. */
  const takeFrom = (node: ts.Expression): void => {
    if (ts.isStringLiteralLike(node)) take(node.text);
    else if (ts.isTemplateExpression(node)) {
      take([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' '));
      for (const { expression } of node.templateSpans) takeFrom(expression);
    } else if (ts.isParenthesizedExpression(node)) takeFrom(node.expression);
    else if (ts.isConditionalExpression(node)) {
      takeFrom(node.whenTrue);
      takeFrom(node.whenFalse);
    } else if (ts.isBinaryExpression(node) && /^(\?\?|\|\||&&|\+)$/.test(node.operatorToken.getText())) {
      if (node.operatorToken.getText() !== '&&') takeFrom(node.left);
      takeFrom(node.right);
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) take(node.text);
    else if (ts.isJsxAttribute(node) && SPOKEN.test(node.name.getText())) {
      const value = node.initializer;
      if (value !== undefined && ts.isStringLiteral(value)) take(value.text);
      else if (value !== undefined && ts.isJsxExpression(value) && value.expression !== undefined)
        takeFrom(value.expression);
    } else if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) && node.expression !== undefined)
      takeFrom(node.expression);
    else if (
      ts.isPropertyAssignment(node) &&
      ts.isIdentifier(node.name) &&
      SPOKEN.test(node.name.text) &&
      ts.isExpression(node.initializer)
    )
      takeFrom(node.initializer);
    else if (
      ts.isCallExpression(node) &&
      /^(announce|useTitle|useKeys|wrong)$/.test(node.expression.getText())
    )
      for (const value of node.arguments) takeFrom(value);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('every text that is shown comes from a table, but for names, keys and code', () => {
  const bare = new Map<string, string>();
  for (const path of files(SOURCES, /^(?!.*\.test\.).*\.tsx?$/))
    if (!/\/(texts|flow)\/|schema\.d\.ts$/.test(path))
      for (const text of bareTexts(path)) bare.set(text, relative(SOURCES, path));
  expect([...bare].filter(([text]) => !NO_TEXTS.has(text))).toEqual([]);
  expect([...NO_TEXTS].filter((text) => !bare.has(text))).toEqual([]);
});

/** Areas that app/page-code.ts brings with a page, beside those that are always here (texts/core.ts). */
const OF_PAGES: Readonly<Record<string, readonly string[]>> = {
  builder: ['builder', 'panel', 'steps', 'trial'],
  'builder/gallery-page': ['builder', 'panel', 'steps', 'trial', 'gallery'],
};
const ALWAYS = ['engine', 'ui', 'flow', 'form', 'language', 'say'];
/** Code that pages/builder/states.ts brings, behind its texts. */
const OF_STATES = /^(flow\/serverless\/|pages\/builder\/state-panel\.)/;

test('a page has words of its own areas alone, and what all pages share has none of a page', () => {
  const wrong: string[] = [];
  for (const path of files(SOURCES, /^(?!.*\.test\.).*\.tsx?$/)) {
    const place = relative(SOURCES, path).split('/');
    const [top = '', page = ''] = place;
    if (top === 'texts') continue;
    const isOfStates = OF_STATES.test(place.join('/'));
    const own =
      top === 'pages'
        ? (OF_PAGES[place.slice(1).join('/').replace('.tsx', '')] ?? OF_PAGES[page] ?? [page])
        : top === 'app'
          ? ['app', 'shape']
          : [];
    for (const [, area = ''] of readFileSync(path, 'utf8').matchAll(/from '[./]+\/texts\/([\w/]+)'/g))
      if (![...own, ...ALWAYS, ...(isOfStates ? ['serverless'] : [])].includes(area))
        wrong.push(`${place.join('/')}: ${area}`);
  }
  expect(wrong).toEqual([]);
  const routes = readFileSync(join(SOURCES, 'app/routes.ts'), 'utf8');
  for (const [, areas = '', page = '', file = ''] of routes.matchAll(
    /pageCode\(\[([^\]]*)\], \(\) =>\s*import\('\.\.\/pages\/(\w+)\/([\w-]+)/g,
  ))
    expect([page, areas.match(/\w+/g)]).toEqual([
      page,
      OF_PAGES[`${page}/${file}`] ?? OF_PAGES[page] ?? [page],
    ]);
  expect(routes.match(/pageCode\(\[/g)?.length).toBe(routes.match(/import\('\.\.\/pages\//g)?.length);
});

/* ---- the languages ---- */

type Table = Readonly<Record<string, unknown>>;
type Said = (...values: readonly unknown[]) => unknown;

const AREAS = readdirSync(join(SOURCES, 'texts/en')).map((name) => name.replace(/\.ts$/, ''));

async function tableOf(language: string, area: string): Promise<Table> {
  const module = (await import(`./${language}/${area}.ts`)) as Readonly<Record<string, Table>>;
  const table = module[area];
  if (table === undefined) throw new Error(`texts/${language}/${area}.ts has no table “${area}”`);
  return table;
}

/** Every text of a table with the words that lead to it. */
function entries(table: Table, path = ''): (readonly [string, unknown])[] {
  return Object.entries(table).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? entries(value as Table, `${path}${name}.`)
      : [[`${path}${name}`, value] as const],
  );
}

/** Texts in order of their names, with what the two languages say. */
async function pairs(): Promise<(readonly [string, unknown, unknown])[]> {
  const all = await Promise.all(
    AREAS.map(async (area) => {
      const german = new Map(entries(await tableOf('de', area)));
      return entries(await tableOf('en', area)).map(
        ([name, english]) => [`${area}.${name}`, english, german.get(name)] as const,
      );
    }),
  );
  return all.flat();
}

/* The words that people read of a text or of a sentence with elements in it. */
function flat(said: unknown): string {
  if (said === null || said === undefined || typeof said === 'boolean') return '';
  if (typeof said === 'string' || typeof said === 'number') return String(said);
  if (Array.isArray(said)) return said.map(flat).join('');
  const { props } = said as { readonly props?: { readonly children?: unknown } };
  return flat(props?.children);
}

/** Texts whose values are no texts or numbers alone. */
const OWN_VALUES: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'ui.canDoThis': [[['builder', 'operator']]],
  'flow.after': [[7, 'day']],
  'trial.nthTime': [[7]],
  'flow.andAgainEvery': [[7, 'day']],
};

const PARAMETERS_MAX = 5;
/* Values that are found again in a sentence: numbers for numbers (a sentence may count with them), words else. */
const MARKS: readonly (readonly unknown[])[] = [
  ['‹a›', '‹b›', '‹c›', '‹d›', '‹e›'],
  [7, 13, 17, 19, 23],
];

function say(name: string, text: unknown): readonly string[] {
  if (typeof text === 'string') return [text];
  const values = OWN_VALUES[name] ?? MARKS;
  return values.flatMap((each) => {
    try {
      return [flat((text as Said)(...each.slice(0, PARAMETERS_MAX)))];
    } catch {
      return []; // A number where it wants a word.
    }
  });
}

const marksIn = (said: string) => [...said.matchAll(/‹.›|\d+/g)].map(([mark]) => mark).sort();

/** Words that are the same in English and German. */
const SAME = new Set<string>([
  ', in ‹a›',
  '‹a› / min',
  '‹a› ms',
  'Alt',
  'Browser',
  'Details',
  'Engine',
  'In',
  'in',
  'JSON',
  'Live',
  'MCP',
  'Name',
  'Problem',
  'Protocol Buffers',
  'Server',
  'Serverless Workflow',
  'Start',
  'Status',
  'Tab',
  'Test',
  'Text',
  'Version ‹a›',
]);
/** Codes and signs: a text without two letters in a row. */
const isWord = (said: string) => /\p{L}{2}/u.test(said.replaceAll(/‹.›/g, ''));

describe('German', () => {
  test('has every text, and none is English', async () => {
    const all = await pairs();
    expect(all.length).toBeGreaterThan(2000);
    expect(all.filter(([, , german]) => german === undefined).map(([name]) => name)).toEqual([]);
    const same = all.flatMap(([name, english, german]) => {
      const [said = ''] = say(name, english);
      return isWord(said) && said === say(name, german)[0] ? [said] : [];
    });
    expect(same.filter((said) => !SAME.has(said))).toEqual([]);
    expect([...SAME].filter((said) => !same.includes(said))).toEqual([]);
  });

  test('says each value that English says', async () => {
    for (const [name, english, german] of await pairs()) {
      if (typeof english === 'string') continue;
      const [ours, theirs] = [say(name, english), say(name, german)];
      ours.forEach((said, i) => expect([name, marksIn(theirs[i] ?? '')]).toEqual([name, marksIn(said)]));
    }
  });

  test('keeps the spaces at the ends, by which texts are put together', async () => {
    const ends = (said: string) => [/^\s/.test(said), /\s$/.test(said)];
    for (const [name, english, german] of await pairs())
      expect([name, ...ends(say(name, german)[0] ?? '')]).toEqual([
        name,
        ...ends(say(name, english)[0] ?? ''),
      ]);
  });

  test('has no word for a button or a head that is more than twice as long', async () => {
    const LONG = 14;
    const wide = (await pairs()).filter(([name, english, german]) => {
      const [said = ''] = say(name, english);
      const [theirs = ''] = say(name, german);
      return said.length <= LONG && theirs.length > Math.max(2 * said.length, said.length + 14);
    });
    expect(
      wide.map(([name, english, german]) => `${name}: ${say(name, english)[0]} → ${say(name, german)[0]}`),
    ).toEqual([]);
  });
});

test('German has the engine’s words for all steps and fields, and no others', async () => {
  const table = readFileSync(join(SOURCES, '../../contract/node-types.json'), 'utf8');
  const words = new Set<string>();
  JSON.parse(table, (name, value: unknown) => {
    if ((name === 'label' || name === 'help') && typeof value === 'string') words.add(value);
    return value;
  });
  expect(Object.keys(await tableOf('de', 'steps')).sort()).toEqual([...words].sort());
});

test.each([
  [null, ['de-AT', 'en'], 'de'],
  [null, ['ja', 'de'], 'de'],
  [null, ['fr-FR'], 'en'],
  [null, [], 'en'],
  ['de', ['en-US'], 'de'],
  ['xx', ['de'], 'de'],
])('chosen %j and read %j is %s', (kept, read, language) => expect(languageFor(kept, read)).toBe(language));

test.each([
  [['de', 'ja-JP'], 'ja'],
  [['zh-TW'], 'hant'],
  [['zh-Hant-HK'], 'hant'],
  [['zh-CN', 'ja'], 'hans'],
  [['ko-KR'], 'ko'],
  [['de', 'en'], ''],
])('who reads %j has signs of %j', (read, far) => expect(farFont(read)).toBe(far));
