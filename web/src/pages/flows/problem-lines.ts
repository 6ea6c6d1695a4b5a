/* pages/flows/problem-lines.ts — the problems of a document that the engine refused, as lines of text. */
import { asProblem } from '../../api/problem';
import { sayProblem } from '../../texts/engine';
import { t } from '../../texts/flows';

const LINES_MAX = 20;

function textOf(value: unknown, name: string): string {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof member === 'string' || typeof member === 'number' ? String(member) : '';
}

export function problemLines(thrown: unknown): string[] {
  const { body, message } = asProblem(thrown);
  const problems: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'problems') : undefined;
  if (!Array.isArray(problems) || problems.length === 0) return message.split('\n').slice(0, LINES_MAX);
  return problems.slice(0, LINES_MAX).map((problem) => {
    const line = textOf(problem, 'line');
    const own = textOf(problem, 'message');
    const sentence = sayProblem(textOf(problem, 'code'));
    return `${line === '' || line === '0' ? '' : t.line(line)}${sentence === '' ? own : `${sentence} (${own})`}`;
  });
}
