/* ui/page-help.ts — what each page is for, for the help that `?` opens and for the page of all help. The longest beginning of an address
 * that fits counts. */
export interface PageHelp {
  readonly at: string;
  readonly word: string;
  readonly says: string;
}

export const PAGE_HELP: readonly PageHelp[] = [
  {
    at: '/',
    word: 'Home',
    says: 'What needs somebody now: runs that failed, by reason; tasks that are late; the health of the engine. Every number leads to its list.',
  },
  {
    at: '/flows',
    word: 'Flows',
    says: 'What can happen: every flow with its picture, versions and runs, and the drafts that somebody works on. Drop a file to publish it; compare two versions, and bring living runs along.',
  },
  {
    at: '/builder',
    word: 'The builder',
    says: 'Draw what should happen, test it without any effect, publish it. Canvas, outline and text are the same flow; everything is saved as a draft by itself.',
  },
  {
    at: '/runs',
    word: 'Runs',
    says: 'What is happening. Filter by status, flow, key, reason or step; do something to one run or to all that match, after a preview.',
  },
  {
    at: '/inbox',
    word: 'Inbox',
    says: 'What waits for you and your groups, with what is due first in front. What you have typed stays until you send it.',
  },
  {
    at: '/entities',
    word: 'Entities',
    says: 'Models and their entities: where each stands, its data and its history, and the transitions that are allowed now.',
  },
  {
    at: '/triggers',
    word: 'Triggers',
    says: 'What starts runs from outside: web addresses, schedules, messages; what arrived and what became of it; events that nobody took, and those that wait.',
  },
  {
    at: '/tables',
    word: 'Decision tables',
    says: 'Rules in rows. Gaps and overlaps are marked where they are; try values before you publish.',
  },
  {
    at: '/workers',
    word: 'Workers',
    says: 'Programs outside that do jobs: who asks for which kind, how many wait, how many fail.',
  },
  {
    at: '/connections',
    word: 'Connections',
    says: 'Mail servers, databases, brokers and keys that flows use. Values are sealed: nobody can read them here.',
  },
  {
    at: '/access',
    word: 'Access',
    says: 'Who may do what: users, keys, grants, providers and tenants; why somebody may or may not do something.',
  },
  {
    at: '/audit',
    word: 'Audit',
    says: 'Who changed what, and when, in a chain that shows if a row is missing.',
  },
  { at: '/account', word: 'Your account', says: 'Your sessions, your password and what you may do.' },
  { at: '/docs', word: 'Help', says: 'What each page is for, its keys, and the API of this engine.' },
];

/** The help of the page at an address; null: there is none. */
export function helpOf(address: string): PageHelp | null {
  const fits = PAGE_HELP.filter(({ at }) =>
    at === '/' ? address === '/' : address === at || address.startsWith(`${at}/`),
  );
  return fits.sort((one, other) => other.at.length - one.at.length)[0] ?? null;
}
