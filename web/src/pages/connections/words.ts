/* pages/connections/words.ts — kinds and states of connections in words, and the value that a form makes. Pure. */
import type { Connection, ConnectionKind, TestKind } from '../../api/connections';
import { listWords, plural } from '../../ui/words';

export const KIND_WORDS: { readonly [K in ConnectionKind]: string } = {
  mail: 'Mail server',
  database: 'Database',
  broker: 'MQTT broker',
  http: 'Web address',
  secret: 'Key or password',
};

export const kindWords = (kinds: readonly ConnectionKind[]): string =>
  listWords(kinds.map((kind, at) => (at === 0 ? KIND_WORDS[kind] : KIND_WORDS[kind].toLowerCase())));

const TESTED: readonly TestKind[] = ['mail', 'database', 'broker'];

/** The kinds that somebody can test: those of its uses, or any for one that no flow uses yet. */
export function testKinds({ kinds, uses }: Connection): readonly TestKind[] {
  if (uses === 0) return TESTED;
  return TESTED.filter((kind) => kinds.includes(kind));
}

export interface State {
  readonly status: 'failed' | 'waiting' | 'completed' | 'cancelled';
  readonly word: string;
}

export function stateOf({ isSet, uses, broker }: Connection): State {
  if (!isSet) return { status: 'failed', word: 'Not there' };
  if (broker !== undefined && !broker.connected) return { status: 'waiting', word: 'Not connected' };
  return uses === 0 ? { status: 'cancelled', word: 'Not used' } : { status: 'completed', word: 'There' };
}

/** Trouble first, then by name. */
export function inOrder(items: readonly Connection[]): readonly Connection[] {
  const rank = { failed: 0, waiting: 1, completed: 2, cancelled: 3 } as const;
  return [...items].sort(
    (a, b) => rank[stateOf(a).status] - rank[stateOf(b).status] || a.name.localeCompare(b.name),
  );
}

const SOURCE_WORDS = {
  file: 'a file that was named when the engine started (--secret)',
  credential: 'a systemd credential',
  environment: 'the environment of the engine',
  store: "the engine's store",
} as const;

/** Where its value is, and who can change it. */
export function sourceWords({ isSet, source }: Connection): string {
  if (!isSet) return 'Nobody has set it. Steps that need it fail.';
  if (source === 'store') return "It is in the engine's store, sealed. Nobody can read it here.";
  const where = source === undefined ? 'the environment of the engine' : SOURCE_WORDS[source];
  return `It comes from ${where}, and is changed there.`;
}

/** Only what the store has, or nobody has, can be set here. */
export const isOurs = ({ isSet, source }: Connection): boolean => !isSet || source === 'store';

export const placeWords = (uses: number): string => (uses === 0 ? 'no flow' : plural(uses, 'place'));

export interface MailFields {
  readonly server: string;
  readonly security: 'starttls' | 'tls' | 'none';
  readonly user: string;
  readonly password: string;
  readonly from: string;
}

/** The value of a mail server, as docs/email.md has it. */
export function mailValue({ server, security, user, password, from }: MailFields): string {
  const scheme = security === 'tls' ? 'smtps' : 'smtp';
  return JSON.stringify({
    url: `${scheme}://${server.trim()}`,
    ...(user.trim() === '' ? {} : { user: user.trim(), password }),
    ...(security === 'tls' ? {} : { tls: security }),
    ...(from.trim() === '' ? {} : { from: from.trim() }),
  });
}

/** What to type for a kind that is one text. */
export const VALUE_HELP: { readonly [K in Exclude<ConnectionKind, 'mail'>]: string } = {
  database: 'An address such as postgres://user:password@db.example:5432/shop',
  broker: 'An address such as mqtts://user:password@broker.example:8883',
  http: 'An address such as https://api.example/orders',
  secret: 'The key, the password or the token itself',
};
