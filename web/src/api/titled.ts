/* api/titled.ts — the titles that the engine gives: what an author has written as it is, and the name of a type, which stands for a step that
 * nobody has named, in the language of the page. Answers pass here before they are kept, so no page can forget it. */
import { sayTitle } from '../texts/engine';

export function sayTitled<One extends { readonly title: string }>(one: One): One {
  return { ...one, title: sayTitle(one.title) };
}

export function sayLabelled<One extends { readonly label?: string }>(one: One): One {
  return one.label === undefined ? one : { ...one, label: sayTitle(one.label) };
}

/** A group of runs that stand at the same step. */
export function sayGrouped<One extends { readonly nodeTitle?: string }>(one: One): One {
  return one.nodeTitle === undefined ? one : { ...one, nodeTitle: sayTitle(one.nodeTitle) };
}

/** Each entry of a page of a list. */
export function sayItems<One>(say: (one: One) => One) {
  return function <Page extends { readonly items: readonly One[] }>(page: Page): Page {
    return { ...page, items: page.items.map(say) };
  };
}
