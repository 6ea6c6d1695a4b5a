/* pages/builder/template-words.ts — a flow to begin with in the words of another language: what people read in it, and the answers of its
 * questions with the lines that they lead to. Names that the engine goes by stay. */
import { isList, isObject, type Json } from '../../flow/json';

export type Words = Readonly<Record<string, string>>;

/** The members of a document whose texts people read. An answer is in two places, which have to agree. */
const READ = /^(name|description|label|buttonLabel|title|subject|body|decisions|fromPort)$/;
/** Examples stand for what people would enter. */
const LEFT = new Set(['metadata', 'testOutput']);

/** The texts of a document that people read, changed by `say`. */
export function mapWords(value: Json, say: (text: string) => string, place = ''): Json {
  if (typeof value === 'string') return READ.test(place) ? say(value) : value;
  if (isList(value)) return value.map((each) => mapWords(each, say, place));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      each === undefined || LEFT.has(name) ? each : mapWords(each, say, name),
    ]),
  );
}

/** Words that the table has not stay as they are. */
export const inWords = (document: Json, words: Words): Json =>
  mapWords(document, (text) => words[text] ?? text);
