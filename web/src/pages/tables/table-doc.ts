/* pages/tables/table-doc.ts — a decision table inside of its document, and every way to change it. Documents are values: each
 * function gives the next one and leaves the rest as its author wrote it.
 *
 * Columns are the names in the rules, in the order in which they appear. A column that no rule uses yet has a blank in the first
 * rule: the engine takes it for "any value", and the document remembers the column. */
import { isList, isObject, type Json, type JsonObject } from '../../flow/json';
import { t } from '../../texts/tables';
import { parseCell, printCell, readCell, readResult, showCell, showResult } from './cells';

export type Side = 'when' | 'outputs';

export interface Column {
  readonly side: Side;
  readonly name: string;
  /** The value that its cells look at, as expressions have it (`#score`, `order.total`); results have none. */
  readonly field: string;
}

export interface DecisionTable {
  readonly stepId: string;
  readonly title: string;
  readonly description: string;
  readonly policy: string;
  readonly columns: readonly Column[];
  readonly rules: readonly JsonObject[];
  /** The step as the document has it. */
  readonly step: JsonObject;
}

const FIELD = /^#?[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/;
const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : '');
const stepsOf = (document: JsonObject): readonly Json[] =>
  isList(document['steps']) ? document['steps'] : [];

function cellsOf(rule: JsonObject, side: Side): JsonObject {
  const cells = rule[side];
  return isObject(cells) ? cells : {};
}

function fieldOf(rules: readonly JsonObject[], name: string): string {
  for (const rule of rules) {
    const { field } = parseCell(cellsOf(rule, 'when')[name]);
    if (field !== '') return field;
  }
  return FIELD.test(name) ? name : '';
}

function columnsOf(rules: readonly JsonObject[]): readonly Column[] {
  const names = (side: Side) => [...new Set(rules.flatMap((rule) => Object.keys(cellsOf(rule, side))))];
  return [
    ...names('when').map((name) => ({ side: 'when' as const, name, field: fieldOf(rules, name) })),
    ...names('outputs').map((name) => ({ side: 'outputs' as const, name, field: '' })),
  ];
}

export function readTable(document: Json, stepId: string): DecisionTable | null {
  if (!isObject(document)) return null;
  const step = stepsOf(document).find((each) => isObject(each) && each['id'] === stepId);
  if (!isObject(step) || step['type'] !== 'DECISION_TABLE') return null;
  const table = isObject(step['decisionTable']) ? step['decisionTable'] : {};
  const rules = (isList(table['rules']) ? table['rules'] : []).filter(isObject);
  return {
    stepId,
    title: textOf(step['name']) || stepId,
    description: textOf(step['description']),
    policy: textOf(step['hitPolicy']) || 'U',
    columns: columnsOf(rules),
    rules,
    step,
  };
}

function withStep(
  document: JsonObject,
  stepId: string,
  change: (step: JsonObject) => JsonObject,
): JsonObject {
  const steps = stepsOf(document).map((each) =>
    isObject(each) && each['id'] === stepId ? change(each) : each,
  );
  return { ...document, steps };
}

function withRules(document: JsonObject, stepId: string, rules: readonly JsonObject[]): JsonObject {
  return withStep(document, stepId, (step) => ({
    ...step,
    decisionTable: { ...(isObject(step['decisionTable']) ? step['decisionTable'] : {}), rules },
  }));
}

export function setPolicy(document: JsonObject, stepId: string, policy: string): JsonObject {
  return withStep(document, stepId, (step) => ({ ...step, hitPolicy: policy }));
}

/* ---- cells ---- */

/** The text that a cell shows. */
export function cellText(rule: JsonObject | undefined, column: Column): string {
  if (rule === undefined) return '';
  const value = cellsOf(rule, column.side)[column.name];
  return column.side === 'when' ? showCell(parseCell(value).cell) : showResult(value);
}

/** The member of the rule that a typed text becomes; undefined: none. */
function valueOf(column: Column, text: string): Json | undefined {
  if (column.side === 'outputs') return readResult(text);
  const cell = readCell(text);
  if (cell.kind === 'any') return undefined;
  // Without a field there is nothing to compare: what is typed is the formula.
  if (column.field === '' && cell.kind !== 'formula') return text.trim();
  return printCell(column.field, cell);
}

function withCell(rule: JsonObject, column: Column, value: Json | undefined): JsonObject {
  const cells = Object.entries(cellsOf(rule, column.side));
  const next =
    value === undefined
      ? cells.filter(([name]) => name !== column.name)
      : cells.some(([name]) => name === column.name)
        ? cells.map(([name, old]) => [name, name === column.name ? value : old] as const)
        : [...cells, [column.name, value] as const];
  return { ...rule, [column.side]: Object.fromEntries(next) };
}

/** A column that lost its last cell, or moved behind another one, is held at its place by the first rule. */
function keepColumns(rules: readonly JsonObject[], columns: readonly Column[]): readonly JsonObject[] {
  const first = rules[0];
  if (first === undefined) return rules;
  const now = columnsOf(rules);
  const isSame =
    now.length === columns.length &&
    now.every((each, at) => each.name === columns[at]?.name && each.side === columns[at].side);
  if (isSame) return rules;
  const sideOf = (side: Side) => {
    const cells = cellsOf(first, side);
    return Object.fromEntries(
      columns.filter((each) => each.side === side).map(({ name }) => [name, cells[name] ?? '']),
    );
  };
  return [{ ...first, when: sideOf('when'), outputs: sideOf('outputs') }, ...rules.slice(1)];
}

export interface Edit {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

const EMPTY_RULE: JsonObject = { when: {}, outputs: {} };

/** Puts texts into cells; rows behind the last one are made. */
export function setCells(document: JsonObject, stepId: string, edits: readonly Edit[]): JsonObject {
  const table = readTable(document, stepId);
  if (table === null) return document;
  const rules = [...table.rules];
  for (const { row, column, text } of edits) {
    const target = table.columns[column];
    if (target === undefined || row < 0) continue;
    while (rules.length <= row) rules.push(EMPTY_RULE);
    const rule = rules[row] ?? EMPTY_RULE;
    if (cellText(rule, target) !== text.trim()) rules[row] = withCell(rule, target, valueOf(target, text));
  }
  if (rules.every((rule, at) => rule === table.rules[at]) && rules.length === table.rules.length)
    return document;
  return withRules(document, stepId, keepColumns(rules, table.columns));
}

/* ---- rows ---- */

export function insertRow(document: JsonObject, stepId: string, at: number): JsonObject {
  const table = readTable(document, stepId);
  if (table === null) return document;
  const rules = [...table.rules.slice(0, at), EMPTY_RULE, ...table.rules.slice(at)];
  return withRules(document, stepId, keepColumns(rules, table.columns));
}

export function copyRow(document: JsonObject, stepId: string, at: number): JsonObject {
  const table = readTable(document, stepId);
  const rule = table?.rules[at];
  if (table === null || rule === undefined) return document;
  return withRules(document, stepId, [...table.rules.slice(0, at + 1), rule, ...table.rules.slice(at + 1)]);
}

/** A table keeps one row. */
export function removeRow(document: JsonObject, stepId: string, at: number): JsonObject {
  const table = readTable(document, stepId);
  if (table === null || table.rules.length < 2) return document;
  const rules = table.rules.filter((_, index) => index !== at);
  return withRules(document, stepId, keepColumns(rules, table.columns));
}

export function moveRow(document: JsonObject, stepId: string, from: number, to: number): JsonObject {
  const table = readTable(document, stepId);
  const rule = table?.rules[from];
  if (table === null || rule === undefined || to < 0 || to >= table.rules.length || to === from)
    return document;
  const others = table.rules.filter((_, index) => index !== from);
  const rules = [...others.slice(0, to), rule, ...others.slice(to)];
  return withRules(document, stepId, keepColumns(rules, table.columns));
}

/* ---- columns ---- */

/** Why a column cannot be added; null: it can. */
export function columnRefusal(table: DecisionTable, side: Side, name: string): string | null {
  if (name === '') return t.writeTheName;
  if (table.columns.some((each) => each.side === side && each.name === name)) return t.thereIsSuchAColumn;
  if (side === 'when' && !FIELD.test(name)) return t.aFieldIsLettersDigits;
  return null;
}

export function addColumn(document: JsonObject, stepId: string, side: Side, name: string): JsonObject {
  const table = readTable(document, stepId);
  if (table === null || columnRefusal(table, side, name) !== null) return document;
  const rules = table.rules.length === 0 ? [EMPTY_RULE] : table.rules;
  return withRules(document, stepId, keepColumns(rules, [
    ...table.columns.filter((each) => each.side === 'when'),
    ...(side === 'when' ? [{ side, name, field: name }] : []),
    ...table.columns.filter((each) => each.side === 'outputs'),
    ...(side === 'outputs' ? [{ side, name, field: '' }] : []),
  ])); // prettier-ignore
}

export function removeColumn(document: JsonObject, stepId: string, at: number): JsonObject {
  const table = readTable(document, stepId);
  const column = table?.columns[at];
  if (table === null || column === undefined) return document;
  const rules = table.rules.map((rule) => withCell(rule, column, undefined));
  return withRules(document, stepId, rules);
}

/* ---- values to try ---- */

/** Fields that the conditions look at, without the sign before them. */
export function inputsOf({ columns }: DecisionTable): readonly string[] {
  const fields = columns.flatMap(({ side, field }) => (side === 'when' && field !== '' ? [field] : []));
  return [...new Set(fields.map((field) => field.replace(/^#/, '')))];
}

/** { "customer.age": "40" } is { customer: { age: 40 } }; what is blank is not there. */
export function variablesOf(entries: ReadonlyMap<string, string>): JsonObject {
  const put = (object: JsonObject, path: readonly string[], value: Json): JsonObject => {
    const [name = '', ...rest] = path;
    const inner = object[name];
    return { ...object, [name]: rest.length === 0 ? value : put(isObject(inner) ? inner : {}, rest, value) };
  };
  let variables: JsonObject = {};
  for (const [path, text] of entries) {
    const value = readResult(text);
    if (value !== undefined) variables = put(variables, path.split('.'), value);
  }
  return variables;
}
