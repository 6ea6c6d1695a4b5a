/* flow/under-id.ts — ids of flows: made from their names, kept inside of their documents. Pure. */
import { t } from '../texts/flow';
import { openValue } from './flow';
import { formatOf } from './format';
import { isList, isObject, type Json, textOf } from './json';

const ID = /^[A-Za-z0-9_:.-]{1,120}$/;
/** The name of a flow before anybody has given it one. */
export const UNNAMED = t.newFlow;

/** An id for people and machines: "Leave request" becomes leave-request. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'flow' : slug.slice(0, 60);
}

/** Whether the id was made from the name, with a number if it was taken. */
export function isMadeFrom(id: string, name: string): boolean {
  const slug = slugOf(name);
  return id === slug || (id.startsWith(`${slug}-`) && /^\d+$/.test(id.slice(slug.length + 1)));
}

/** The document under another id. */
export function underId(document: Json, id: string): Json {
  const opened = openValue(document);
  if (opened.kind === 'flow') return formatOf(opened.flow).withId(opened.flow, id);
  // A model of entities has its name inside, and keeps it.
  return isObject(document) && isList(document['states']) ? { ...document, id } : document;
}

/** The id that a document has already, if it may be the id of a draft. */
export function ownId(document: Json): string | null {
  const id = isObject(document) ? textOf(document['definitionId']) || textOf(document['id']) : '';
  return ID.test(id) ? id : null;
}
