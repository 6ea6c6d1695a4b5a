/* texts/en/home.ts — English: the texts of the home page. */
import { count } from '../say';

export const home = {
  // attention-cards.tsx
  lateTasks: 'Late tasks',
  ofOpen: (late: string, open: string) => `${late} of ${open} open`,
  allTasks: 'All tasks',
  theLateTasks: 'The late tasks',
  anybody: 'anybody',
  open: (title: string) => `Open ${title}`,
  open2: 'Open',
  flowsWithWarnings: 'Flows with warnings',
  someOfThem: 'some of them',
  allFlows: 'All flows',
  open3: (name: string) => `Open ${name}`,

  // engine-cards.tsx
  queue: 'Queue',
  store: 'Store',
  disk: 'Disk',
  timers: 'Timers',
  workers: 'Workers',
  nodes: 'Nodes',
  startsArePaused: 'Starts are paused.',
  newRunsBeginAgain: 'New runs begin again.',
  letNewRunsBegin: 'Let new runs begin',
  pauseStarts: 'Pause starts…',
  pauseAllStarts: 'Pause all starts?',
  back: 'Back',
  pauseStarts2: 'Pause starts',
  newRunsOfAllFlows:
    'New runs of all flows are made and wait, whoever starts them. What has begun goes on. The pause outlives a restart of the engine, until somebody lets new runs begin.',
  engine: 'Engine',
  versionUp: (version: string, time: string) => `version ${version}, up ${time}`,
  min: (more: string | number) => `${more} / min`,
  max: (top: string) => `max ${top}`,
  started: 'Started',
  finished: 'Finished',
  failed: 'Failed',
  aMinute: (most: string) => `${most} a minute`,
  commit95Of100: 'Commit, 95 of 100',
  lastHour: 'Last hour',
  toByMinute: (at: string, at2: string) => `${at} to ${at2}, by minute`,
  theLastHour: 'The last hour',
  moreTenantsAreAtWork:
    'More tenants are at work than the engine counts by the minute: this one is not counted.',

  // headline.ts
  nRunsFailed: (number: number) => count(number, { one: '# run failed', other: '# runs failed' }),
  nTasksAreLate: (number: number) => count(number, { one: '# task is late', other: '# tasks are late' }),
  nothingNeedsYou: 'Nothing needs you',
  jobsWaitForAWorker: 'Jobs wait, and no worker takes them.',
  startsWait: 'Starts are paused: new runs wait.',
  everythingElseMoves: 'Everything else moves by itself.',
  nRunsWaitForPeople: (number: number) =>
    count(number, { one: '# run waits for people.', other: '# runs wait for people.' }),
  nRunsOnTheWay: (number: number) => count(number, { one: '# run on the way.', other: '# runs on the way.' }),
  noRun: 'No run is on its way.',

  // home-page.tsx
  theLastHour2: 'the last hour is not counted',
  nOfTheirTasks: (number: number) =>
    count(number, { one: '# of their tasks is late', other: '# of their tasks are late' }),
  inTheLastHour: (failed: string) => `${failed} in the last hour`,
  forATime: 'for a time or an event',
  startedInTheHour: (started: string) => `${started} started in the hour`,
  thisHour: 'this hour',
  inTheLast60Minutes: 'in the last 60 minutes',
  runsByStatus: 'Runs by status',
  home: 'Home',
  home2: (title: string) => `Home: ${title}`,
  theCounts: 'The counts',

  // reasons-card.tsx
  forNoReasonGiven: 'For no reason given',
  in: 'in',
  severalFlows: 'several flows',
  retry: (count: string) => `Retry ${count}…`,
  failedByReason: 'Failed, by reason',
  aBarIs5Minutes: 'a bar is 5 minutes of the last hour',
  allInRuns: (total: string) => `All ${total} in Runs`,
  theReasons: 'The reasons',
  noRunHasFailed: 'No run has failed',
  whenOneDoesItsReason: 'When one does, its reason appears here.',
  reason: 'Reason',
  when: 'When',
  runs: 'Runs',
  last: 'Last',
  do: 'Do',
  and: (more: string) => `and ${more}`,
  nMoreReasons: (number: number) => count(number, { one: '# more reason', other: '# more reasons' }),

  // engine-cards.tsx: health
  well: 'Well',
  look: 'Look',
  bad: 'Bad',
};
