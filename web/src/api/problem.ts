/* api/problem.ts — what a request that failed says. Every call of client.ts throws a Problem and nothing else. */
import { sayRefusal } from '../texts/engine';
import { t } from '../texts/ui';

/** A request that the engine refused, or that never reached it (`status` 0). */
export class Problem extends Error {
  readonly status: number;
  /** The engine's own word for what is wrong, such as `NOT_FOUND`; empty if it gave none. */
  readonly code: string;
  /** Its meaning in the language of the page; empty: the engine's own words are all there is. */
  readonly sentence: string;
  /** The engine's own words. `message` is both in one line. */
  readonly own: string;
  /** The whole answer, for those who know more about it: the problems of a document, the other version of a draft. */
  readonly body: unknown;

  constructor(status: number, code: string, own: string, body: unknown, sentence = '') {
    super(sentence === '' ? own : own === '' ? sentence : `${sentence} (${own})`);
    this.name = t.problem;
    this.status = status;
    this.code = code;
    this.sentence = sentence;
    this.own = own;
    this.body = body;
  }

  get isAway(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

const AWAY = t.theEngineDoesNotAnswer;

function textOf(body: object, names: readonly string[]): string {
  for (const name of names) {
    const value: unknown = Reflect.get(body, name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

/** Reads a refusal in any of the engine's forms: `/v1`, problem documents, plain text. */
export function problemOf(status: number, body: unknown, say = sayRefusal): Problem {
  if (typeof body !== 'object' || body === null)
    return new Problem(
      status,
      '',
      typeof body === 'string' && body !== '' ? body : t.theEngineAnswered(status),
      body,
    );
  const own = textOf(body, ['detail', 'message', 'title', 'error']);
  const word = textOf(body, ['error']);
  // The entity API has its code below `properties`, and before its sentence, too.
  const more: unknown = Reflect.get(body, 'properties');
  const code =
    textOf(body, ['code', 'errorCode']) ||
    (typeof more === 'object' && more !== null ? textOf(more, ['errorCode']) : '');
  const sentence = say(code, word);
  return new Problem(
    status,
    code || word,
    (sentence === '' ? own : own.replace(/^[A-Z][A-Z0-9_]+: /, '')) || t.theEngineAnswered(status),
    body,
    sentence,
  );
}

export function awayProblem(cause: unknown): Problem {
  return new Problem(0, 'AWAY', AWAY, cause);
}

/** Anything that was thrown, as a Problem, so that views have one thing to show. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  return new Problem(-1, 'BUG', thrown instanceof Error ? thrown.message : String(thrown), thrown);
}
