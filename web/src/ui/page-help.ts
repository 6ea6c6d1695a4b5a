/* ui/page-help.ts — what each page is for, for the help that `?` opens and for the page of all help. The longest beginning of an address
 * that fits counts. */
import { t } from '../texts/ui';
export interface PageHelp {
  readonly at: string;
  readonly word: string;
  readonly says: string;
}

export const PAGE_HELP: readonly PageHelp[] = [
  {
    at: '/',
    word: t.home,
    says: t.whatNeedsSomebodyNowRuns,
  },
  {
    at: '/flows',
    word: t.flows,
    says: t.whatCanHappenEveryFlow,
  },
  {
    at: '/builder',
    word: t.theBuilder,
    says: t.drawWhatShouldHappenTest,
  },
  {
    at: '/runs',
    word: t.runs,
    says: t.whatIsHappeningFilter,
  },
  {
    at: '/inbox',
    word: t.inbox,
    says: t.whatWaitsForYou,
  },
  {
    at: '/entities',
    word: t.entities,
    says: t.modelsAndTheirEntities,
  },
  {
    at: '/triggers',
    word: t.triggers,
    says: t.whatStartsRunsFromOutside,
  },
  {
    at: '/tables',
    word: t.decisionTables,
    says: t.rulesInRowsGaps,
  },
  {
    at: '/workers',
    word: t.workers,
    says: t.programsOutsideThatDoJobs,
  },
  {
    at: '/connections',
    word: t.connections,
    says: t.mailServersDatabases,
  },
  {
    at: '/access',
    word: t.access,
    says: t.whoMayDoWhatUsers,
  },
  {
    at: '/audit',
    word: t.audit,
    says: t.whoChangedWhatAndWhen,
  },
  { at: '/account', word: t.yourAccount, says: t.yourSessionsYourPassword },
  { at: '/docs', word: t.help, says: t.whatEachPage },
];

/** The help of the page at an address; null: there is none. */
export function helpOf(address: string): PageHelp | null {
  const fits = PAGE_HELP.filter(({ at }) =>
    at === '/' ? address === '/' : address === at || address.startsWith(`${at}/`),
  );
  return fits.sort((one, other) => other.at.length - one.at.length)[0] ?? null;
}
