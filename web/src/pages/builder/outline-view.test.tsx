// @vitest-environment jsdom
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';

import type { Flow } from '../../flow/flow';
import { type Builder, BuilderContext } from './context';
import { OutlineView } from './outline-view';
import { createStore } from './store';

afterEach(cleanup);

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

/* A browser takes a button inside for a part of the item's name, which then begins with "Fold"; jsdom does not. */
test('an item that folds is named after its step and not after what folds it', () => {
  render(
    <BuilderContext value={builderOf(FLOW)}>
      <OutlineView />
    </BuilderContext>,
  );
  const route = screen.getByRole('treeitem', { name: /^Route/ });
  expect(within(route).queryByRole('button')).toBeNull();
  expect(route.getAttribute('aria-expanded')).toBe('true');
  expect(screen.getByRole('treeitem', { name: /^Pay/ }).hasAttribute('aria-expanded')).toBe(false);
});

test('a press beside the name folds what is below', async () => {
  render(
    <BuilderContext value={builderOf(FLOW)}>
      <OutlineView />
    </BuilderContext>,
  );
  const route = screen.getByRole('treeitem', { name: /^Route/ });
  await userEvent.setup().click(within(route).getByTitle('Fold (-)'));
  expect(route.getAttribute('aria-expanded')).toBe('false');
  expect(screen.queryByRole('treeitem', { name: /^Pay/ })).toBeNull();
});
