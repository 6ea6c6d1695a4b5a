/* pages/connections/words.ts — kinds and states of connections in words, and the value that a form makes. Pure. */
import type { Connection, ConnectionKind, TestKind } from '../../api/connections';
import { listWords } from '../../ui/words';
import { t } from '../../texts/connections';

export const KIND_WORDS: { readonly [K in ConnectionKind]: string } = {
  mail: t.mailServer,
  database: t.database,
  broker: t.mqttBroker,
  http: t.webAddress,
  secret: t.keyOrPassword,
};

export const kindWords = (kinds: readonly ConnectionKind[]): string =>
  listWords(kinds.map((kind, at) => (at === 0 ? KIND_WORDS[kind] : t.inSentence(KIND_WORDS[kind]))));

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
  if (!isSet) return { status: 'failed', word: t.notThere };
  if (broker !== undefined && !broker.connected) return { status: 'waiting', word: t.notConnected };
  return uses === 0 ? { status: 'cancelled', word: t.notUsed } : { status: 'completed', word: t.there };
}

/** Trouble first, then by name. */
export function inOrder(items: readonly Connection[]): readonly Connection[] {
  const rank = { failed: 0, waiting: 1, completed: 2, cancelled: 3 } as const;
  return [...items].sort(
    (a, b) => rank[stateOf(a).status] - rank[stateOf(b).status] || a.name.localeCompare(b.name),
  );
}

const SOURCE_WORDS = {
  file: t.fileOfTheStart,
  credential: t.systemdCredential,
  environment: t.environmentOfTheEngine,
  store: t.storeOfTheEngine,
} as const;

/** Where its value is, and who can change it. */
export function sourceWords({ isSet, source }: Connection): string {
  if (!isSet) return t.nobodyHasSetItSteps;
  if (source === 'store') return t.itIsInTheEngines;
  const where = source === undefined ? t.theEnvironmentOfTheEngine : SOURCE_WORDS[source];
  return t.itComes(where);
}

/** Only what the store has, or nobody has, can be set here. */
export const isOurs = ({ isSet, source }: Connection): boolean => !isSet || source === 'store';

export const placeWords = (uses: number): string => (uses === 0 ? t.noFlow : t.nPlaces(uses));

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

/** The hint for a kind that is one text. */
export const VALUE_HELP: { readonly [K in Exclude<ConnectionKind, 'mail'>]: string } = {
  database: t.anAddressSuchAsPostgres,
  broker: t.anAddressSuchAsMqtts,
  http: t.anAddressSuchAsHttps,
  secret: t.theKeyThePassword,
};
