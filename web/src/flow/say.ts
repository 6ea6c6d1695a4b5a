/* flow/say.ts — steps and lines in words: the caption below a step's name, the name of a line, a condition as a sentence. */
import { t } from '../texts/flow';
import { locale } from '../texts/language';
import { answerLines } from './answers';
import { isChosen } from './commands/lines';
import { type Operator, OPERATOR_WORDS, type Row, type Rows, rowsOf } from './condition';
import { labelPath, type NodeTypes } from './data';
import { sayDuration } from './duration';
import { findNode, type Flow, type FlowLine, type FlowNode, linesFrom } from './flow';
import { isSteps } from './format';
import { isList, isObject, type Json, type JsonObject, textOf } from './json';
import { rowsOfExpression } from './steps/expression';
import { timerAt, timersOf } from './steps/read';
import { onlyPath, parseTemplate, readInner } from './template';

/** A text with the names of its pills: "Leave for Who asks". */
export function sayTemplate(flow: Flow, template: string, types: NodeTypes): string {
  return parseTemplate(template)
    .map((part) => {
      if (part.kind === 'text') return part.text;
      if (part.kind === 'broken') return part.raw;
      const read = readInner(part.inner);
      return read === null ? part.inner.trim() : labelPath(flow, read.path, types).label;
    })
    .join('');
}

function sayValue(flow: Flow, value: Json | undefined, types: NodeTypes): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value === '' ? t.nothing : sayTemplate(flow, value, types);
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (typeof value === 'number') return value.toLocaleString(locale);
  if (isList(value)) return value.map((item) => sayValue(flow, item, types)).join(', ');
  return value === null ? t.nothing : t.somethingElse;
}

const SHORT: { readonly [Op in Operator]?: string } = {
  gt: t.over,
  lt: t.under,
  gte: t.atLeast,
  lte: t.atMost,
};

function sayRow(flow: Flow, { left, op, right }: Row, types: NodeTypes): string {
  const path = typeof left === 'string' ? onlyPath(left) : null;
  const field = path === null ? sayValue(flow, left, types) : labelPath(flow, path, types).label;
  return [field, SHORT[op] ?? OPERATOR_WORDS[op], sayValue(flow, right, types)]
    .filter((word) => word !== '')
    .join(' ');
}

/** The rows of a condition, in whichever format the flow writes it; null: no rows can show it. */
export const readRows = (flow: Flow, condition: Json | undefined): Rows | null =>
  isSteps(flow) ? rowsOfExpression(condition) : rowsOf(condition);

/** "Amount over 1,000 and Answer is approve"; null: it is written as an expression. */
export function sayCondition(flow: Flow, condition: Json | undefined, types: NodeTypes): string | null {
  const rows = readRows(flow, condition);
  if (rows === null) return null;
  return rows.rows.map((row) => sayRow(flow, row, types)).join(rows.join === 'all' ? t.and : t.or);
}

/** "after 2 days", and whether the step goes on meanwhile. */
export function sayTimer(timer: JsonObject): string {
  const after = sayDuration(textOf(timer['duration']));
  const words = after === '' ? t.afterAWhile : t.after2(after);
  return timer['interrupting'] === true ? words : t.andWaits(words);
}

const FORMULA_MAX = 40;

function sayFormula(condition: Json): string {
  if (typeof condition !== 'string') return t.aConditionOfItsOwn;
  return condition.length > FORMULA_MAX ? `${condition.slice(0, FORMULA_MAX)}…` : condition;
}

/** The name of a line on the canvas; empty: it is the usual way on. */
export function sayLine(flow: Flow, line: FlowLine, types: NodeTypes): string {
  if (line.label !== '') return line.label;
  const source = findNode(flow, line.from);
  if (source === undefined) return '';
  if (isChosen(flow, line)) {
    if (line.isDefault) return t.otherwise;
    if (line.condition === undefined) return linesFrom(flow, line.from).length > 1 ? t.noConditionYet : '';
    return sayCondition(flow, line.condition, types) ?? sayFormula(line.condition);
  }
  const timer = timersOf(source.raw)[timerAt(line.port)];
  if (timer !== undefined) return sayTimer(timer);
  if (line.port === 'timeout') {
    const timeout = source.config['timeout'];
    const wait = typeof timeout === 'string' ? sayDuration(timeout) : '';
    return wait === '' ? t.noAnswerInTime : t.noAnswer(wait);
  }
  if (line.port === 'error') return t.ifItFails;
  if (line.port === 'out' || line.port === 'done' || line.port === 'body') {
    const isRest = line.isDefault || answerLines(flow, source).some((other) => other.port !== 'out');
    return source.type === 'human_task' && isRest ? t.anyOtherAnswer : '';
  }
  return line.isDefault ? t.orAnyOtherAnswer(line.port) : line.port;
}

/** The line below a step's name: "Ask a person · waits 2 days". */
export function captionOf(node: FlowNode, types: NodeTypes): string {
  if (node.caption !== undefined) return node.caption;
  const word = types.get(node.type)?.label ?? node.type;
  const text = (name: string) => {
    const value = node.config[name] ?? (name === 'timeout' ? node.raw[name] : undefined);
    return typeof value === 'string' && !value.includes('{{') ? value : '';
  };
  if (node.type === 'human_task' && text('timeout') !== '')
    return t.waits(word, sayDuration(text('timeout')));
  if (node.type === 'delay' && text('duration') !== '') return `${word} ${sayDuration(text('duration'))}`;
  if (node.type === 'wait_event' && text('timeout') !== '')
    return t.atMost2(word, sayDuration(text('timeout')));
  if (node.type === 'SERVICE_TASK' && text('jobType') !== '') return `${word} · ${text('jobType')}`;
  if (node.type === 'DECISION_TABLE') {
    const table = node.config['decisionTable'];
    const rules = isObject(table) && isList(table['rules']) ? table['rules'].length : 0;
    return `${word} · ${t.nRules(rules)}`;
  }
  if (node.type === 'for_each')
    return text('mode').toLowerCase() === 'parallel' ? t.severalAtOnce : t.oneAfterTheOther;
  return word;
}
