/* flow/steps/data.ts — what a step of the steps format can use. All values of a run are variables: those of the start, what workers
 * and people bring, what steps set, and names that conditions already read. */
import type { DataItem } from '../data';
import type { Flow, FlowNode } from '../flow';
import { isList, isObject, type Json, type JsonObject } from '../json';
import { memo } from '../memo';
import { fieldsOf, sayName } from '../schema-fields';
import { rowsOfExpression } from './expression';
import { onlyPath } from '../template';
import { t } from '../../texts/flow';
import { casesOf, stepNodes } from './read';

function typeOf(value: Json | undefined): string {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string' && !value.startsWith('${')) return 'string';
  return isList(value) ? 'array' : 'any';
}

const item = (node: FlowNode | null, name: string, value: Json | undefined): DataItem => ({
  path: [name],
  label: sayName(name),
  type: typeOf(value),
  node: node?.id ?? null,
  nodeType: node?.type ?? 'TRANSFORMATION',
  choices: [],
});

function ofSchema(node: FlowNode, schema: Json | undefined): readonly DataItem[] {
  return fieldsOf(schema).map(({ name, label, type, choices }) => ({
    path: [name],
    label,
    type,
    node: node.id,
    nodeType: node.type,
    choices,
  }));
}

/* Values of one column of a table; words among them can be chosen in a condition. */
function ofTable(node: FlowNode): readonly DataItem[] {
  const table = node.raw['decisionTable'];
  const rules = isObject(table) && isList(table['rules']) ? table['rules'].filter(isObject) : [];
  const columns = new Map<string, Json[]>();
  for (const { outputs } of rules)
    for (const [name, value] of Object.entries(isObject(outputs) ? outputs : {}))
      if (value !== undefined) columns.set(name, [...(columns.get(name) ?? []), value]);
  return [...columns].map(([name, values]) => {
    const words = values.filter((value) => typeof value === 'string' && !value.startsWith('${'));
    return {
      ...item(node, name, values[0]),
      choices: words.length === values.length ? [...new Set(words.map(String))] : [],
    };
  });
}

/** The values that a step gives to those behind it. */
export function stepGives(flow: Flow, node: FlowNode): readonly DataItem[] {
  switch (node.type) {
    case 'start':
      return ofSchema(node, flow['input_schema']);
    case 'SERVICE_TASK':
      return ofSchema(node, node.raw['outputs_schema']);
    case 'USER_TASK':
      return ofSchema(node, node.raw['formSchema']);
    case 'TRANSFORMATION': {
      const values: JsonObject = isObject(node.raw['transformations']) ? node.raw['transformations'] : {};
      return Object.entries(values).map(([name, value]) => item(node, name, value));
    }
    case 'DECISION_TABLE':
      return ofTable(node);
    default:
      return node.list === 'triggers' ? [{ ...item(node, 'trigger', undefined), label: t.whatArrived }] : [];
  }
}

/* The other side of a comparison tells what kind of value a condition reads. */
function ofExpression(expression: string): readonly DataItem[] {
  return (rowsOfExpression(expression)?.rows ?? []).flatMap(({ left, op, right }) => {
    const path = typeof left === 'string' ? onlyPath(left) : null;
    const name = path?.[0];
    if (path?.length !== 1 || typeof name !== 'string') return [];
    const isYesNo = op === 'is_true' || op === 'is_false';
    const isWord = typeof right === 'string' && right !== '' && onlyPath(right) === null;
    return [
      {
        ...item(null, name, isYesNo ? true : isWord || typeof right === 'number' ? right : undefined),
        choices: isWord && op === 'eq' ? [right] : [],
      },
    ];
  });
}

/** Names that conditions read and the sample has, wherever they come from. */
export const namedVariables = memo((flow): readonly DataItem[] => {
  const metadata = flow['metadata'];
  const sample = isObject(metadata) && isObject(metadata['sample']) ? metadata['sample'] : {};
  const found = new Map<string, DataItem>(
    Object.entries(sample).map(([name, value]) => [name, item(null, name, value)]),
  );
  for (const { raw } of stepNodes(flow))
    for (const [expression] of casesOf(raw))
      for (const named of ofExpression(expression)) {
        const name = String(named.path[0]);
        const known = found.get(name);
        if (known === undefined) found.set(name, named);
        else if (known.type === named.type)
          found.set(name, { ...known, choices: [...new Set([...known.choices, ...named.choices])] });
      }
  return [...found.values()];
});
