/* texts/en/ui.ts — English: the texts of what pages share. */
import { count, listWords, type Node, rich } from '../say';

export const ui = {
  // bulk.ts
  theEngineGaveNoPreview: 'The engine gave no preview.',
  theEngineBeganNothing: 'The engine began nothing.',

  // client.ts
  theEngineGaveNoAnswer: 'The engine gave no answer.',

  // drafts.ts
  copyOf: (name: string) => `Copy of ${name}`,
  openItItsText: 'Open it: its text has to be mended first.',
  everyNameLikeIsTaken: (stem: string) => `Every name like “${stem}” is taken.`,

  // problem.ts
  problem: 'Problem',
  theEngineDoesNotAnswer: 'The engine does not answer.',
  theEngineAnswered: (status: number) => `The engine answered ${status}.`,

  // triggers.ts
  theEngineDidNotSay: 'The engine did not say what became of it.',

  // bulk-progress.tsx
  pause: 'Pause',
  goOn: 'Go on',
  stop: 'Stop',
  bringThemBack: 'Bring them back',
  bringThemAlongAgain: 'Bring them along again',
  backToTheVersionBefore: 'Back to the version that they came from.',
  paused: 'Paused.',
  finished: 'Finished.',
  stopped: 'Stopped.',
  progress: 'Progress',
  ofDoneLeftOutRefused: (done: string, found: string, succeeded: string, skipped: string, refused: string) =>
    `${done} of ${found}: ${succeeded} done, ${skipped} left out, ${refused} refused`,
  nRuns: (number: number) => count(number, { one: '# run', other: '# runs' }),
  wereNotTouchedWhat: (strong: Node, more: string) =>
    rich`${strong} ${more} were not touched; what is done stays done.`,
  waitUntilItGoes: (strong: Node, more: string) => rich`${strong} ${more} wait until it goes on.`,
  itGoesOnIfYou: 'It goes on if you leave this page, and after a restart of the engine.',
  whatBecameOfEach: 'What became of each',
  andMore: 'and more',
  close: 'Close',

  // copy-button.tsx
  actions: 'Actions',
  copied: (what: string) => `Copied ${what}.`,
  couldNotCopy: (what: string) => `Could not copy ${what}.`,
  copy: (what: string) => `Copy ${what}`,

  // crumbs.tsx
  whereYou: 'Where you are',

  // draft-saver.ts
  nothingChangedYet: 'nothing changed yet',
  saved: (max: string) => `saved ${max}`,
  saving: 'saving…',
  notSavedTheEngine: 'not saved: the engine is away, your changes are kept here',
  notSaved: 'not saved',
  notSavedSomebodyElse: 'not saved: somebody else changed it',
  somebodyElseChanged: 'Somebody else changed this flow. Choose which version to keep.',
  theEngineIsAwayYour: 'The engine is away. Your changes are kept in this page.',

  // failed.tsx
  cannotBeShown: (what: string) => `${what} cannot be shown.`,
  thereIsNoSuchThing: (message: string) => `There is no such thing here. ${message}`,
  tryAgain: 'Try again',

  // missing-list.tsx
  connections: 'Connections',
  workers: 'Workers',
  notThereYet: 'Not there yet',
  itCanBePublishedBut: 'It can be published, but runs will wait or fail there:',

  // missing-words.ts
  nobodyHasSetTheSecret: (name: string) => `Nobody has set the secret “${name}”.`,
  theEngineHasNoMail: 'The engine has no mail server.',
  nobodyHasSetTheConnection: (name: string) => `Nobody has set the connection “${name}”.`,
  nobodyTakesJobs: (name: string) => `Nobody takes jobs of the kind “${name}” from this node of the engine.`,
  nobodyTakesJobs2: (name: string) => `Nobody takes jobs of the kind “${name}”.`,
  noCalculationNode: (name: string) => `No calculation node with “${name}” is connected.`,

  // new-password.tsx
  show: 'Show',
  atLeastCharactersSeveral: (max: number) =>
    `At least ${max} characters. Several words are easy to remember and hard to guess.`,

  // page-help.ts
  home: 'Home',
  whatNeedsSomebodyNowRuns:
    'What needs somebody now: runs that failed, by reason; tasks that are late; the health of the engine. Every number leads to its list.',
  flows: 'Flows',
  whatCanHappenEveryFlow:
    'What can happen: every flow with its picture, versions and runs, and the drafts that somebody works on. Drop a file to publish it; compare two versions, and bring living runs along.',
  theBuilder: 'The builder',
  drawWhatShouldHappenTest:
    'Draw what should happen, test it without any effect, publish it. Canvas, outline and text are the same flow; everything is saved as a draft by itself.',
  runs: 'Runs',
  whatIsHappeningFilter:
    'What is happening. Filter by status, flow, key, reason or step; do something to one run or to all that match, after a preview.',
  inbox: 'Inbox',
  whatWaitsForYou:
    'What waits for you and your groups, with what is due first in front. What you have typed stays until you send it.',
  entities: 'Entities',
  modelsAndTheirEntities:
    'Models and their entities: where each stands, its data and its history, and the transitions that are allowed now.',
  triggers: 'Triggers',
  whatStartsRunsFromOutside:
    'What starts runs from outside: web addresses, schedules, messages; what arrived and what became of it; events that nobody took, and those that wait.',
  decisionTables: 'Decision tables',
  rulesInRowsGaps:
    'Rules in rows. Gaps and overlaps are marked where they are; try values before you publish.',
  programsOutsideThatDoJobs:
    'Programs outside that do jobs: who asks for which kind, how many wait, how many fail.',
  mailServersDatabases:
    'Mail servers, databases, brokers and keys that flows use. Values are sealed: nobody can read them here.',
  access: 'Access',
  whoMayDoWhatUsers:
    'Who may do what: users, keys, grants, providers and tenants; why somebody may or may not do something.',
  audit: 'Audit',
  whoChangedWhatAndWhen: 'Who changed what, and when, in a chain that shows if a row is missing.',
  yourAccount: 'Your account',
  yourSessionsYourPassword: 'Your sessions, your password and what you may do.',
  help: 'Help',
  whatEachPage: 'What each page is for, its keys, and the API of this engine.',

  // permissions.ts
  looksAtEverything: 'looks at everything that is no secret',
  answersTasksAndStartsWhat: 'answers tasks, and starts what allows it',
  doesJobsForTheEngine: 'does jobs for the engine',
  startsRunsSendsEvents: 'starts runs, sends events and signals, writes entities',
  makesAndPublishesFlows: 'makes and publishes flows, models and triggers',
  repairsRetryCancelPause: 'repairs: retry, cancel, pause',
  everythingAccessIncluded: 'everything, access included',
  anAdminOfAllTenants: 'An admin of all tenants can do this.',

  // picture-view.tsx
  thePictureArrowsScroll: 'The picture; arrows scroll it',
  sizeOfThePicture: 'Size of the picture',
  closer: 'Closer',
  further: 'Further',
  readable: 'Readable',
  whole: 'Whole',

  // picture.tsx
  visits: (visits: number) => `${visits} visits`,

  // run-filter.ts
  inTheLastHour: 'in the last hour',
  inTheLast24Hours: 'in the last 24 hours',
  inTheLast7Days: 'in the last 7 days',
  inTheLast30Days: 'in the last 30 days',
  statusIs: 'Status is',
  started: 'Started',

  // skeleton.tsx
  loading: 'Loading',

  // table-row.tsx
  select: (name: string) => `Select ${name}`,

  // table.tsx
  selectAllThatAreShown: 'Select all that are shown',

  // times.ts
  justNow: 'just now',
  yesterday: 'yesterday',
  ago: (time: string) => `${time} ago`,
  late: (time: string) => `${time} late`,
  dueIn: (time: string) => `due in ${time}`,
  dueToday: (max: string) => `due today ${max}`,
  dueTomorrow: (max: string) => `due tomorrow ${max}`,
  due: (at: string) => `due ${at}`,

  // trigger-words.ts
  byHand: 'By hand',
  webRequest: 'Web request',
  mqttMessage: 'MQTT message',
  schedule: 'Schedule',
  newData: 'New data',

  // value-list.tsx
  nothing: 'Nothing',
  value: 'Value',
  andMoreSeeJson: (more: number) => `and ${more} more, see JSON`,

  // words.ts
  statuses: {
    failed: 'Failed',
    person: 'Waits for a person',
    waiting: 'Waits',
    running: 'Running',
    completed: 'Done',
    cancelled: 'Cancelled',
  },
  nothing2: 'nothing',
  empty: 'empty',
  nEntries: (number: number) => count(number, { one: '# entry', other: '# entries' }),
  nFields: (number: number) => count(number, { one: '# field', other: '# fields' }),
  steps: 'Steps',
  serverlessWorkflow: 'Serverless Workflow',
  flow: 'Flow',
  entityWorkflow: 'Entity workflow',

  // permissions.ts
  canDoThis: (roles: readonly string[]) => {
    const said = listWords(
      roles.map((role) => `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`),
      'or',
    );
    return `${said.slice(0, 1).toUpperCase()}${said.slice(1)} can do this.`;
  },

  // keys.ts
  keys: {
    Alt: 'Alt',
    Ctrl: 'Ctrl',
    Delete: 'Delete',
    Enter: 'Enter',
    Escape: 'Escape',
    Shift: 'Shift',
    Space: 'Space',
    Tab: 'Tab',
  },

  // bulk-progress.tsx: outcomes
  outcomeDone: 'Done',
  outcomeLeftOut: 'Left out',
  outcomeRefused: 'Refused',

  // run-filter.ts: chips
  keyOrIdBeginsWith: 'Key or id begins with',
  flowIs: 'Flow is',
  versionIs: 'Version is',
  keyIs: 'Key is',
  failedBecause: 'Failed because',
  failedBecauseOfSomethingWith: 'Failed because of something with',
  failedAtStep: 'Failed at step',
  standsAtStep: 'Stands at step',
  waitsFor: 'Waits for',

  // keys.ts: who bound them
  everywhere: 'Everywhere',
};
