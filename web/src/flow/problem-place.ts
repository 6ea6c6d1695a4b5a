/* flow/problem-place.ts — which step a problem is about. The engine names the node of a flow graph; in the other families the JSON
 * Pointer of a problem leads into a step or state, and pictures know these by the same ids. */
import { nodesOf } from './flow';
import { isList, isObject, type Json, type JsonObject, textOf } from './json';

const unescape = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');

function itemOf(document: JsonObject, list: string, index: string | undefined): JsonObject | undefined {
  const items = document[list];
  const item: Json | undefined = isList(items) ? items[Number(index)] : undefined;
  return isObject(item) ? item : undefined;
}

/** The id of the step that a pointer leads into; undefined: it is about the whole document. */
export function nodeAt(document: JsonObject, pointer: string): string | undefined {
  const [, list, index, member, name] = pointer.split('/').map(unescape);
  if (list === 'steps' || list === 'triggers')
    return textOf(itemOf(document, list, index)?.['id']) || undefined;
  if (list === 'states') {
    // On the canvas a state knows its place, also one of a branch: the innermost that the pointer leads into.
    const inner = nodesOf(document).findLast(
      ({ pointer: at }) => at !== undefined && at !== '' && `${pointer}/`.startsWith(`${at}/`),
    );
    const state = itemOf(document, list, index);
    return inner?.id ?? (textOf(state?.['id']) || textOf(state?.['name']) || undefined);
  }
  if (list === 'workflows' && member === 'states' && name !== undefined) {
    const workflow = textOf(itemOf(document, list, index)?.['name']);
    return `/${workflow}/${name}`;
  }
  return undefined;
}
