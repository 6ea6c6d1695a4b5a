import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { anyFlow, anyRecipe, cook, type Recipe } from './any-flow';
import { COMMAND_KINDS, refusal, sayCommand } from './command';
import { findBroken, type Flow, highestId, nodesOf, parseFlow, printFlow, startsOf } from './flow';
import { commit, type History, open, redo, undo, UNDO_MAX } from './history';

const run = (flow: Flow, recipes: readonly Recipe[]): History =>
  recipes.reduce((history, recipe) => commit(history, cook(history.now.flow, recipe)), open(flow));

function undoAll(history: History): History {
  let now = history;
  while (now.past.length > 0) now = undo(now);
  return now;
}

describe('history', () => {
  test('undoing everything gives back the very document that was opened', () => {
    fc.assert(
      fc.property(anyFlow(), fc.array(anyRecipe(), { maxLength: 20 }), (flow, recipes) => {
        const edited = run(flow, recipes);
        expect(undoAll(edited).now.flow).toBe(flow);
        let again = undoAll(edited);
        while (again.future.length > 0) again = redo(again);
        expect(again.now.flow).toBe(edited.now.flow);
      }),
      { numRuns: 100 },
    );
  });

  test('no command breaks a document', () => {
    fc.assert(
      fc.property(anyFlow(), fc.array(anyRecipe(), { maxLength: 12 }), (flow, recipes) => {
        const edited = run(flow, recipes).now.flow;
        expect(findBroken(edited)).toEqual([]);
        expect(startsOf(edited).length).toBeGreaterThan(0);
        const read = parseFlow(printFlow(edited));
        expect(read).toEqual({ kind: 'flow', flow: JSON.parse(JSON.stringify(edited)) as Flow });
      }),
      { numRuns: 200 },
    );
  });

  test('a refused command says why and changes nothing', () => {
    fc.assert(
      fc.property(anyFlow(), anyRecipe(), (flow, recipe) => {
        const command = cook(flow, recipe);
        const why = refusal(flow, command);
        const history = commit(open(flow), command);
        if (why !== null) {
          expect(why).not.toBe('');
          expect(history.now.flow).toBe(flow);
        } else expect(sayCommand(flow, command)).not.toBe('');
      }),
    );
  });

  test('ids go on behind every id that was ever there', () => {
    fc.assert(
      fc.property(anyFlow(), fc.array(anyRecipe(), { maxLength: 15 }), (flow, recipes) => {
        let history = open(flow);
        const ever = new Set(nodesOf(flow).map((node) => node.id));
        for (const recipe of recipes) {
          const known = new Set(nodesOf(history.now.flow).map((node) => node.id));
          const isUndo = recipe.b % 5 === 0;
          history = isUndo ? undo(history) : commit(history, cook(history.now.flow, recipe));
          for (const { id } of nodesOf(history.now.flow)) {
            if (!known.has(id) && !isUndo) expect(ever.has(id)).toBe(false);
            ever.add(id);
          }
        }
        expect(history.highest).toBeGreaterThanOrEqual(highestId(history.now.flow));
      }),
    );
  });

  test('typing into one field is one step back', () => {
    const flow: Flow = { nodes: [{ id: 'a', type: 'trigger_manual' }], edges: [] };
    let history = open(flow);
    for (const label of ['P', 'Pa', 'Pay'])
      history = commit(history, { kind: 'setLabel', id: 'a', label }, 'label:a');
    expect(history.past).toHaveLength(1);
    expect(undo(history).now.flow).toBe(flow);
  });

  test('keeps at most so many steps', () => {
    let history = open({ nodes: [{ id: 'a', type: 'trigger_manual' }] });
    for (let i = 0; i < UNDO_MAX + 20; i++)
      history = commit(history, { kind: 'setLabel', id: 'a', label: `l${i}` });
    expect(history.past).toHaveLength(UNDO_MAX);
  });

  test('random commands are of every kind but those that need a text', () => {
    const flow: Flow = {
      nodes: [
        { id: 'a', type: 'trigger_manual' },
        { id: 'b', type: 'end' },
      ],
      edges: [{ from: 'a', to: 'b' }],
    };
    const cooked = new Set(
      Array.from({ length: 20 }, (_, kind) =>
        [0, 1].map((b) => cook(flow, { kind, a: 0, b, type: 'end', text: 'x', value: 1 }).kind),
      ).flat(),
    );
    const missing = COMMAND_KINDS.filter((kind) => !cooked.has(kind));
    expect(missing).toEqual(['setLineLabel', 'setMember', 'setSetting', 'applyFix', 'replaceDocument']);
  });
});
