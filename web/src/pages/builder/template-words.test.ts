/* pages/builder/template-words.test.ts — German has words for all that people read in the flows to begin with, and nothing else changes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import type { Json } from '../../flow/json';
import { gallery } from '../../texts/de/gallery';
import { inWords, mapWords } from './template-words';

const FOLDER = fileURLToPath(new URL('../../../../examples/templates', import.meta.url));
const TEMPLATES = readdirSync(FOLDER)
  .filter((name) => /^[^.]+\.json$/.test(name))
  .map((name) => [name, JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Json] as const);

/** Ways of the engine, beside the answers. */
const WAYS = new Set(['timeout', 'error']);
/* A text of values alone is no word, even with an empty one for none. */
const isWord = (text: string) =>
  !WAYS.has(text) && /\p{L}/u.test(text.replaceAll(/\{\{[^"}]*(""[^"}]*)?\}\}/g, ''));

function wordsOf(document: Json): readonly string[] {
  const found: string[] = [];
  mapWords(document, (text) => {
    if (isWord(text)) found.push(text);
    return text;
  });
  return found;
}

describe('the flows to begin with', () => {
  test('German has a word for each, and no others', () => {
    expect(TEMPLATES.length).toBe(6);
    const all = new Set(TEMPLATES.flatMap(([, document]) => wordsOf(document)));
    expect(Object.keys(gallery).sort()).toEqual([...all].sort());
  });

  test('German has the same values', () => {
    const valuesOf = (text: string) =>
      [...text.matchAll(/\{\{(.*?)\}\}/g)].map(([, value = '']) => value.replace(/".*?"/, '')).sort();
    for (const [english, german] of Object.entries(gallery))
      expect([english, valuesOf(german)]).toEqual([english, valuesOf(english)]);
  });

  test.each(TEMPLATES)('%s keeps its shape, and its answers have their lines', (_, document) => {
    const german = inWords(document, gallery);
    const blank = (each: Json) => mapWords(each, () => '');
    expect(blank(german)).toEqual(blank(document));
    const { nodes, edges } = german as unknown as {
      readonly nodes: readonly {
        readonly id: string;
        readonly config?: { readonly decisions?: readonly string[] };
      }[];
      readonly edges: readonly { readonly from: string; readonly fromPort?: string }[];
    };
    for (const { id, config } of nodes)
      if (config?.decisions !== undefined)
        expect(
          edges.flatMap(({ from, fromPort }) => (from === id && !WAYS.has(fromPort ?? '') ? [fromPort] : [])),
        ).toEqual(config.decisions);
  });

  test('a table without words leaves a document as it is', () => {
    for (const [, document] of TEMPLATES) expect(inWords(document, {})).toEqual(document);
  });
});
