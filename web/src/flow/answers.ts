/* flow/answers.ts — the answers that a person can give. Each has a line of its own, whose port is the answer; the engine refuses a
 * flow in which one has none and no line is marked as the one for all others. A single answer may leave by the usual port. */
import { type Flow, type FlowLine, type FlowNode, linesFrom, usualPort } from './flow';
import { isList } from './json';

export function answersOf(node: FlowNode): readonly string[] {
  const list = node.config['decisions'];
  return node.type === 'human_task' && isList(list) ? list.filter((word) => typeof word === 'string') : [];
}

/** Lines that are taken after an answer, and not because nobody answered. */
export const answerLines = (flow: Flow, node: FlowNode): readonly FlowLine[] =>
  linesFrom(flow, node.id).filter((line) => line.port !== 'timeout');

const isKnown = (answer: unknown) => typeof answer === 'string' && !answer.includes('{{');

/** Whether the usual port of a person is the way of all answers without a line of their own. The engine wants its line marked as the
 * default: a declined request must not go on by itself. */
export function isRestPort(node: FlowNode | undefined, port: string): boolean {
  const decisions = node?.config['decisions'] ?? [];
  if (node?.type !== 'human_task' || port !== 'out') return false;
  return !isList(decisions) || decisions.length > 1 || !decisions.every(isKnown);
}

/** Answers whose line is missing: a flow with one of them cannot be published. */
export function openAnswers(flow: Flow, node: FlowNode): readonly string[] {
  const answers = answersOf(node);
  const lines = answerLines(flow, node);
  if (lines.some((line) => line.isDefault)) return [];
  // The last step of a loop ends its item, whichever the answer is.
  if (node.parent !== null && lines.length === 0) return [];
  if (answers.length === 1 && lines.some((line) => line.port === 'out')) return [];
  return answers.filter((answer) => !lines.some((line) => line.port === answer));
}

/** The port by which a step goes on if all is well: of a person the first answer. */
export function wayOn(flow: Flow, node: FlowNode): string {
  const [first] = answersOf(node);
  if (first === undefined) return usualPort(node.type);
  const lines = answerLines(flow, node);
  const isOut = lines.some((line) => line.port === 'out') && !lines.some((line) => line.port === first);
  return isOut ? 'out' : first;
}
