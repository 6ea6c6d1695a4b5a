import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';

import type { Flow } from '../../flow/flow';
import { type Builder, BuilderContext } from './context';
import { OutlineView } from './outline-view';
import { createStore } from './store';

const FLOW: Flow = {
  id: 'loan',
  name: 'Loan',
  steps: [
    {
      id: 'route',
      name: 'Route',
      type: 'DECISION',
      conditionalNextSteps: { 'tier == "gold"': 'pay', true: 'done' },
    },
    { id: 'pay', name: 'Pay', type: 'SERVICE_TASK', jobType: 'pay', nextStep: 'done' },
    { id: 'done', name: 'Done', type: 'END' },
  ],
};

function builderOf(flow: Flow): Builder {
  const draft = { document: {}, etag: null, version: 0, savedAt: null, author: '' };
  return {
    store: createStore('loan', draft, flow, null),
    flow,
    selection: { kind: 'none' },
    types: new Map(),
    table: { types: new Map(), stepTypes: [], settings: [], retry: [], nodeFields: [] },
    problems: [],
    problemsOf: new Map(),
    samples: new Map(),
    order: new Map(),
    taken: new Set(),
    text: null,
    dispatch: () => true,
    select: () => undefined,
    openAdd: () => undefined,
    openPanel: () => undefined,
    openFind: () => undefined,
  };
}

/* The items as they are written, by the ids of their steps. Components of another file would keep the document that they saw first, so that
 * this one does without a document. */
function itemsOf(flow: Flow): ReadonlyMap<string, string> {
  const html = renderToStaticMarkup(
    <BuilderContext value={builderOf(flow)}>
      <OutlineView />
    </BuilderContext>,
  );
  const items = [...html.matchAll(/<li [^>]*data-id="([^"]*)".*?<\/li>/g)];
  return new Map(items.map(([item, id = '']) => [id, item]));
}

/* A browser takes a button inside for a part of the item's name, which then begins with "Fold". */
test('an item that folds is named after its step and not after what folds it', () => {
  const items = itemsOf(FLOW);
  expect(items.get('route')).toMatch(/^<li role="treeitem" [^>]*aria-expanded="true"/);
  expect(items.get('pay')).not.toContain('aria-expanded');
  const [button = ''] = /<button [^>]*>/.exec(items.get('route') ?? '') ?? [];
  expect(button).toContain('aria-hidden="true"');
  expect(button).toContain('title="Fold (-)"');
  expect(button).not.toContain('aria-label');
});
