/* api/problem.ts — what a request that failed says. Every call of client.ts throws a Problem and nothing else. */
import { t } from '../texts/ui';

/** A request that the engine refused, or that never reached it (`status` 0). */
export class Problem extends Error {
  readonly status: number;
  /** The engine's own word for what is wrong, such as `NOT_FOUND`; empty if it gave none. */
  readonly code: string;
  /** The whole answer, for those who know more about it: the problems of a document, the other version of a draft. */
  readonly body: unknown;

  constructor(status: number, code: string, message: string, body: unknown) {
    super(message);
    this.name = t.problem;
    this.status = status;
    this.code = code;
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
export function problemOf(status: number, body: unknown): Problem {
  if (typeof body !== 'object' || body === null)
    return new Problem(
      status,
      '',
      typeof body === 'string' && body !== '' ? body : t.theEngineAnswered(status),
      body,
    );
  const message = textOf(body, ['detail', 'message', 'title', 'error']);
  return new Problem(
    status,
    textOf(body, ['reason', 'errorCode', 'error']),
    message || t.theEngineAnswered(status),
    body,
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
