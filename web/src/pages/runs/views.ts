/* pages/runs/views.ts — views of the list: those that everybody has, and those that were saved in this browser. */
import { printFilter, type RunFilter } from '../../ui/run-filter';
import { lookOf } from '../../ui/words';
import { t } from '../../texts/runs';

export interface View {
  readonly name: string;
  /** As printFilter() writes it. */
  readonly query: string;
}

const KEY = 'pawl.views';
const VIEWS_MAX = 12;

export const VIEWS: readonly View[] = [
  { name: t.everything, query: '' },
  { name: t.needsSomebody, query: printFilter({ status: ['failed', 'person'] }) },
  { name: lookOf('failed').word, query: printFilter({ status: ['failed'] }) },
  { name: t.onItsWay, query: printFilter({ status: ['waiting', 'running'] }) },
];

function isView(value: unknown): value is View {
  if (typeof value !== 'object' || value === null) return false;
  return typeof Reflect.get(value, 'name') === 'string' && typeof Reflect.get(value, 'query') === 'string';
}

/** The saved views; a text that is not ours is nothing. */
export function readViews(text: string | null): View[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isView).slice(0, VIEWS_MAX) : [];
  } catch {
    return [];
  }
}

export function savedViews(): View[] {
  return readViews(localStorage.getItem(KEY));
}

/** A view of the same name is replaced; the oldest goes when there are too many. */
export function addView(views: readonly View[], name: string, filter: RunFilter): View[] {
  return [...views.filter((view) => view.name !== name), { name, query: printFilter(filter) }].slice(
    -VIEWS_MAX,
  );
}

export function keepViews(views: readonly View[]): void {
  localStorage.setItem(KEY, JSON.stringify(views));
}
