/* texts/en/app.ts — English: the texts of the frame around all pages. */
import { type Node, rich } from '../say';

export const app = {
  // account-link.tsx
  nobodyHasToSign: 'Nobody has to sign in here: whoever reaches this engine may do everything',
  signedIn: (name: string) => `Signed in as ${name}`,
  noLogin: 'No login',

  // allowed-page.tsx
  notForYou: 'Not for you',
  thisPage: 'This page is not for you',
  youAreSigned: (says: string, name: Node) => rich`${says} You are signed in as ${name}.`,
  goHome: 'Go home',

  // boundary.tsx
  weMadeAMistake: (what: string) => `We made a mistake in ${what}.`,
  nothingInTheEngine: (message: string) => `Nothing in the engine has changed. ${message}`,
  tryAgain: 'Try again',

  // find.tsx
  findAFlowRunTask: 'Find a flow, run, task…',
  findFlowsRunsTasksEntities: 'Find flows, runs, tasks, entities, triggers and pages',
  whatWasFound: 'What was found',

  // finds.ts
  pages: 'Pages',

  // gate.tsx
  thereIsNoSuchTenant: 'There is no such tenant',
  youHaveNoRole: (pageTenant: Node) => rich`You have no role in a tenant of the name “${pageTenant}”.`,
  goToYourOwn: 'Go to your own',
  theApplication: 'The application',

  // key-help.tsx
  thisPageAsCurl: 'This page as curl',
  theLine: (url: string) => `the line for ${url}`,
  help: 'Help',
  keys: (title: string) => `Keys: ${title}`,
  allHelp: 'All help',
  theApi: 'The API',

  // routes.ts
  home: 'Home',
  flows: 'Flows',
  runs: 'Runs',
  inbox: 'Inbox',
  entities: 'Entities',
  triggers: 'Triggers',
  decisionTables: 'Decision tables',
  workers: 'Workers',
  connections: 'Connections',
  access: 'Access',
  audit: 'Audit',

  // shell.tsx
  connecting: 'Connecting',
  live: 'Live',
  engineAway: 'Engine away',
  lightOrDark: 'Light or dark as the system says.',
  light: 'Light.',
  dark: 'Dark.',
  failed: 'failed',
  openTasks: 'open tasks',
  notOverOrFailed: 'not over or failed',
  engineIsUnwell: 'Engine is unwell',
  engineHaveALook: 'Engine: have a look',
  engineIsWell: 'Engine is well',
  versionUp: (version: string, time: string) => `Version ${version} · up ${time}`,
  findEverything: 'Find anything',
  findAnythingCtrlK: 'Find anything (Ctrl K in fields)',
  helpForThisPage: 'Help for this page, and its keys',
  nextPartArrowsMoveInside: 'Next part; arrows move inside of lists and pictures',
  skipToThePage: 'Skip to the page',
  helpAndKeys: 'Help and keys',
  switchBetweenLightAndDark: 'Switch between light and dark',
  theEngineDoesNotAnswer:
    'The engine does not answer. This page shows what it knew last and tries again by itself.',
  thisPage2: 'this page',
  thereIsNoSuchPage: 'There is no such page',

  // tenant-switch.tsx
  theTenant: (tenant: string) => `The tenant ${tenant}`,
  tenant: 'Tenant',

  // use-finds.ts
  allRuns: 'all runs',
  search: 'Search',
  allRunsWhoseKeyBegins: (text: string) => `All runs whose key begins with “${text}”`,
  peoplesTasks: 'People’s tasks',
  version: (modelVersion: number) => `version ${modelVersion}`,
  openTheEntity: 'open the entity of this id',
  notAllTriggersWereLooked: 'Not all triggers were looked at.',
  onlyTheNewestEntitiesWere: 'Only the newest entities were looked at.',
  aSingleEntityIsFound: 'A single entity is found by its id, or on the page of its model.',

  // routes.ts
  groups: { work: 'Work', setUp: 'Set-up' },

  // shell.tsx
  timesAreIn: (zone: string, offset: string) => `Times: ${zone}, ${offset}`,
};
