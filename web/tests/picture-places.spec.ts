/* tests/picture-places.spec.ts — steps of a document without places stand at the same places in the builder, on the page of the flow and
 * on the page of a run: all templates and examples that the canvas shows, once their places are taken away. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Page } from '@playwright/test';

import { openValue } from '../src/flow/flow';
import { addStatesFormat } from '../src/flow/format';
import { isList, isObject, type Json, type JsonObject, parseJson, printJson } from '../src/flow/json';
import { placesOf } from '../src/flow/layout';
import { statesFormat } from '../src/flow/serverless/format';
import { builderAddress, flowAddress, runAddress } from '../src/ui/addresses';
import { type Engine, expect, test } from './engine';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
addStatesFormat(statesFormat);

type Places = Readonly<Record<string, readonly [number, number]>>;

function withoutPlaces(document: JsonObject): JsonObject {
  const { nodes, ...rest } = document;
  if (!isList(nodes)) return document;
  const bare = (node: Json) =>
    isObject(node) ? Object.fromEntries(Object.entries(node).filter(([name]) => name !== 'position')) : node;
  return { ...rest, nodes: nodes.map(bare) };
}

/** The documents that the canvas shows, by the paths of their files. */
function documents(): readonly (readonly [string, JsonObject])[] {
  const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).sort();
  return files.flatMap((file): (readonly [string, JsonObject])[] => {
    if (!file.endsWith('.json') || file.endsWith('.scenario.json')) return [];
    const outcome = parseJson(readFileSync(join(EXAMPLES, file), 'utf8'));
    const opened = openValue(outcome.ok ? outcome.value : null);
    const isFlow = opened.kind === 'flow' && ['nodes', 'steps', 'states'].some((list) => list in opened.flow);
    return isFlow ? [[file, withoutPlaces(opened.flow)]] : [];
  });
}

const onCanvas = (page: Page): Promise<Places> =>
  page.locator('.react-flow__node').evaluateAll((nodes) =>
    Object.fromEntries(
      nodes.map((node) => {
        const { transform } = (node as HTMLElement).style;
        const [, x, y] = /translate\(([-\d.]+)px, ?([-\d.]+)px\)/.exec(transform) ?? [];
        return [(node as HTMLElement).dataset['id'] ?? '', [Number(x), Number(y)] as const];
      }),
    ),
  );

/* A halo is drawn round each step. */
const inPicture = (page: Page): Promise<Places> =>
  page.locator('.page g[data-node]').evaluateAll((nodes) =>
    Object.fromEntries(
      nodes.map((node) => {
        const halo = node.querySelector<SVGGraphicsElement>('.halo')?.getBBox();
        return [
          (node as SVGElement).dataset['node'] ?? '',
          [(halo?.x ?? 0) + 4, (halo?.y ?? 0) + 4] as const,
        ];
      }),
    ),
  );

/* The canvas has a start of its own and a zone for each branch; the engine has an end that states share, and what undoes a step. */
const ON_CANVAS_ONLY = /^(\(start\)|[^/]+\/[^/]+)$/;
const IN_PICTURES_ONLY = /^end$|~comp$/;
const without = (places: Places, own: RegExp): Places =>
  Object.fromEntries(Object.entries(places).filter(([id]) => !own.test(id)));

function expectAlike(picture: Places, canvas: Places): void {
  const shared = without(canvas, ON_CANVAS_ONLY);
  expect(Object.keys(shared).length).toBeGreaterThan(1);
  expect(without(picture, IN_PICTURES_ONLY)).toEqual(shared);
}

const store = async (engine: Engine, document: JsonObject): Promise<string> =>
  ((await engine.send('POST', '/v1/definitions', JSON.parse(printJson(document)))) as { id: string }).id;

async function openCanvas(page: Page, id: string): Promise<Places> {
  await page.goto(`/ui${builderAddress(id)}`);
  await expect(page.locator('.react-flow__node').first()).toBeVisible();
  return onCanvas(page);
}

async function openPicture(page: Page, address: string): Promise<Places> {
  await page.goto(`/ui${address}`);
  await expect(page.locator('.page g[data-node]').first()).toBeVisible();
  return inPicture(page);
}

for (const [file, document] of documents())
  test(`${file} without places`, async ({ page, engine }) => {
    const id = await store(engine, document);
    const canvas = await openCanvas(page, id);
    expect(Object.keys(canvas)).toEqual([...placesOf(document).keys()]);
    expectAlike(await openPicture(page, flowAddress(id)), canvas);
    await page.screenshot({ path: `test-results/places-${file.replaceAll('/', '-')}.png` });
  });

/* A loop, ways that meet again, and a deadline. */
const FLOW = {
  dialect: 'graph/1',
  name: 'Many ways',
  nodes: [
    { id: 's', type: 'trigger_manual' },
    { id: 'd', type: 'decision' },
    { id: 'h', type: 'human_task', config: { title: 'May we?', decisions: ['yes', 'no'], timeout: 'P2D' } },
    { id: 'l', type: 'for_each', config: { collection: '{{ trigger.payload.items }}' } },
    { id: 'a', type: 'set_variables', parent: 'l', config: { values: { a: 1 } } },
    { id: 'b', type: 'set_variables', parent: 'l', config: { values: { b: 1 } } },
    { id: 'y', type: 'end' },
    { id: 'n', type: 'end' },
  ],
  edges: [
    { from: 's', to: 'd' },
    { from: 'd', to: 'l', condition: { left: '{{ trigger.payload.amount }}', op: 'gt', right: 1 } },
    { from: 'd', to: 'h', default: true },
    { from: 'h', to: 'l', fromPort: 'yes' },
    { from: 'h', to: 'n', fromPort: 'no' },
    { from: 'h', to: 'n', fromPort: 'timeout' },
    { from: 'l', to: 'a', fromPort: 'body' },
    { from: 'a', to: 'b' },
    { from: 'l', to: 'y', fromPort: 'done' },
  ],
};

test('the page of a run shows the same places, and a document with places keeps them', async ({
  page,
  engine,
}) => {
  const id = await store(engine, FLOW);
  const canvas = await openCanvas(page, id);
  expect(Object.keys(canvas)).toHaveLength(FLOW.nodes.length);
  const started = `/v1/definitions/${id}/instances`;
  const run = (await engine.send('POST', started, { variables: { amount: 0 } })) as { id: string };
  expectAlike(await openPicture(page, runAddress(run.id)), canvas);
  await page.screenshot({ path: 'test-results/places-run.png' });

  const at = FLOW.nodes.map((node, i) => ({ ...node, position: { x: 40 + i * 304, y: 160 * (i % 3) } }));
  const kept = await store(engine, { ...FLOW, name: 'Placed', nodes: at });
  const places: Places = Object.fromEntries(at.map(({ id, position: { x, y } }) => [id, [x, y] as const]));
  const isInLoop = /^[lab]$/;
  expect(without(await openCanvas(page, kept), isInLoop)).toEqual(without(places, isInLoop));
  expect(without(await openPicture(page, flowAddress(kept)), isInLoop)).toEqual(without(places, isInLoop));
});
