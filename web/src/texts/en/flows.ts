/* texts/en/flows.ts — English: the texts of the pages of flows. */
import { count, type Node, rich } from '../say';

export const flows = {
  // compare-page.tsx
  to: 'to',
  from: 'from',
  allOf: 'all of it',
  new: 'New',
  gone: 'Gone',
  changed: 'Changed',
  theStepsAreTheSame: 'The steps are the same',
  whatDiffersIfAnything: 'What differs, if anything, is in the text: names, descriptions, places.',
  andMore: (more: number) => ` and ${more} more`,
  lineFrom: (title: Node, title2: Node) => rich`Line from ${title} to ${title2}`,
  version: (version: number) => `Version ${version}`,
  published: (time: Node) => rich`published ${time}`,
  thePicture: 'The picture',
  pictureOfVersion: (version: number) => `Picture of version ${version}`,
  swap: 'Swap',
  bringLivingRunsAlong: 'Bring living runs along…',
  compareAs: 'Compare as',
  picture: 'Picture',
  text: 'Text',
  theComparison: 'The comparison',
  whatChanged: 'What changed',
  theSameVersion: 'the same version',
  nChanges: (number: number) => count(number, { one: '# change', other: '# changes' }),
  theVersionsAreTooLong: 'The versions are too long to be compared whole: the text ends early.',
  versionsOf: (name: string) => `Versions of ${name}`,
  flows: 'Flows',
  compare: 'Compare',
  thisFlow: 'This flow',
  thisFlowWasDeleted: (name: string) => `${name} was deleted, with all its versions.`,
  allFlows: 'All flows',

  // compare-text.tsx
  new2: 'new: ',
  gone2: 'gone: ',
  nEqualLines: (number: number) => count(number, { one: '# equal line', other: '# equal lines' }),
  textOfBothVersions: 'Text of both versions',
  version2: (from: number) => `Version ${from}`,
  version3: (to: number) => `Version ${to}`,

  // deploy-drop.tsx
  theFileIsLargerThan: 'The file is larger than 4 MB.',
  ofCanBePublished: (good: number, count: string) => `${good} of ${count} can be published.`,
  nFiles: (number: number) => count(number, { one: '# file', other: '# files' }),
  published2: (count: string) => `${count} published.`,
  nFlows: (number: number) => count(number, { one: '# flow', other: '# flows' }),
  publishAFile: 'Publish a file…',
  publishAText: 'Publish a text…',
  filesToPublish: 'Files to publish',
  whatTheFiles: 'What the files are',
  publish: (ready: string) => `Publish ${ready}`,
  close: 'Close',
  published3: 'Published',
  canBePublished: 'Can be published',
  cannotBePublished: 'Cannot be published',
  openAsText: 'Open as text…',

  // draft-list.tsx
  itIsCalledNow: (name: string) => `It is called ${name} now.`,
  rename: (draftName: string) => `Rename ${draftName}`,
  back: 'Back',
  rename2: 'Rename',
  name2: 'Name',
  itsIdFollowsTheName: 'Its id follows the name until it is published for the first time.',
  discarded: (draftName: string) => `Discarded ${draftName}.`,
  discardTheDraft: (draftName: string) => `Discard the draft of ${draftName}?`,
  keepIt: 'Keep it',
  discardTheDraft2: 'Discard the draft',
  savedItLastWhat: (more: string) =>
    `${more} saved it last. What was published stays; what is only in this draft is gone.`,
  somebody: 'Somebody',
  copied: (draftName: string) => `Copied ${draftName}.`,
  saved: (time: Node) => rich`· saved ${time}`,
  by: (author: Node) => rich`by ${author}`,
  rename3: 'Rename…',
  duplicate: 'Duplicate',
  discard: 'Discard…',
  moreAboutTheDraft: (draftName: string) => `More about the draft ${draftName}`,
  theDrafts: 'The drafts',
  drafts: 'Drafts',
  notPublishedYet: (count: string) => `${count}, not published yet`,
  nDrafts: (number: number) => count(number, { one: '# draft', other: '# drafts' }),
  showAll: (count: number) => `Show all ${count}`,

  // flow-counts.tsx
  noRunsYet: 'no runs yet',

  // flow-end.tsx
  retireFlow: (name: string) => `Retire ${name}?`,
  retireIt: 'Retire it',
  flowIsRetired: 'The flow is retired.',
  nothingOfItStarts:
    'Nothing of it starts any more, and its schedules end. Runs that have begun go on. Publishing a version brings it back.',
  deleteFlow: (name: string) => `Delete ${name}?`,
  deleteIt: 'Delete it',
  flowIsDeleted: 'The flow is deleted.',
  flowIsBeingDeleted: 'The flow is being deleted.',
  allItsVersionsGo:
    'All its versions, triggers and its draft go. Runs that live keep it here. It cannot be taken back.',
  itsEndedRunsToo: 'Delete its ended runs with their histories, too',
  typeTheIdToGoOn: (id: string) => `Type ${id} to go on`,
  beingDeleted: 'being deleted',
  retire: 'Retire…',
  retired: 'retired',
  delete: 'Delete…',

  // flow-page.tsx
  theText: 'The text',
  textOfTheFlow: 'Text of the flow',
  theText2: 'the text',
  pictureOfVersion2: (name: string, version: number) => `Picture of ${name}, version ${version}`,
  versions: 'Versions',
  nVersions: (number: number) => count(number, { one: '# version', other: '# versions' }),
  by2: (publishedBy: Node) => rich`by ${publishedBy}`,
  compareVersionWithTheOne: (version: number) => `Compare version ${version} with the one before`,
  runsOfVersion: (version: number) => `Runs of version ${version}`,
  runs: 'Runs',
  start: 'Start…',
  openInTheBuilder: 'Open in the builder',
  allRuns: 'All runs',
  version4: (version: number) => `version ${version}`,
  showTheFlow: 'Show the flow as',
  ofAllVersions: 'of all versions',
  lastFailed: (time: Node) => rich`Last failed ${time}:`,
  noReasonWasGiven: 'no reason was given',

  // flow-tables.tsx
  decisionTables: 'Decision tables',

  // flow-triggers.tsx
  triggers: 'Triggers',
  nTriggers: (number: number) => count(number, { one: '# trigger', other: '# triggers' }),
  theTriggers: 'The triggers',
  isOff: (label: string) => `${label} is off`,
  isOn: (label: string) => `${label} is on`,
  next: (time: Node) => rich`, next ${time}`,
  on: 'On',
  off: 'Off',

  // flows-page.tsx
  pictureOf: (name: string) => `Picture of ${name}`,
  published4: (dialect: string, time: Node) => rich`${dialect} · published ${time}`,
  hasADraft: ' · has a draft',
  lastFailed2: (time: Node, more: string) => rich`Last failed ${time}: ${more}`,
  nWarnings: (number: number) => count(number, { one: '# warning', other: '# warnings' }),
  partOfAName: 'Part of a name',
  findFlowsByAPart: 'Find flows by a part of their name',
  withWarnings: 'With warnings',
  newFlow: 'New flow',
  theFlows: 'The flows',
  noFlowYet: 'No flow yet',
  noFlowFits: 'No flow fits',
  makeOneInTheBuilder: 'Make one in the builder, or drop a file here.',
  tryAnotherPart: 'Try another part of the name.',
  moreFlows: 'More flows',

  // migrate-panel.tsx
  whatWillBecomeOfThem: 'What will become of them',
  nRuns: (number: number) => count(number, { one: '# run', other: '# runs' }),
  suchAs: 'Such as',
  and: (more: string) => `and ${more}`,
  nMoreReasons: (number: number) => count(number, { one: '# more reason', other: '# more reasons' }),
  stepsThatAreGone: 'Steps that are gone',
  runsThatStandAtOne: 'Runs that stand at one of them go on at the step that you choose, or stay.',
  stayWithTheirVersion: 'Stay with their version',
  noRunLivesWithVersion: (from: number) => `No run lives with version ${from}.`,
  tryTheStepAgain: 'Try the step again for those that failed',
  whyMayBeEmpty: 'Why (may be empty)',
  bringAlong: (moving: string) => `Bring ${moving} along`,
  bringLivingRunsAlong2: 'Bring living runs along',
  runsOfVGo: (from: number, to: number) => `Runs of v${from} go on with v${to}`,
  howFar: 'How far it is',

  // migration.ts
  goOnWhereTheyStand: 'go on where they stand',
  goOnAtAnotherStep: 'go on at another step',
  stayWithTheirVersion2: 'stay with their version',

  // problem-lines.ts
  line: (line: string) => `Line ${line}: `,

  // problem-list.tsx
  problems: 'Problems',
  wholeText: 'Whole text',
  line2: (line: number) => `Line ${line}`,
  nMoreProblems: (number: number) => count(number, { one: '# more problem', other: '# more problems' }),

  // publish-dialog.tsx
  typeOrPasteADocument: 'Type or paste a document, as JSON or YAML.',
  nProblems: (number: number) => count(number, { one: '# problem', other: '# problems' }),
  fits: (more: string, dialect: string) => `${more} fits: ${dialect}`,
  it: 'It',
  publishedVersion: (id: string, version: number) => `Published ${id}, version ${version}.`,
  publishAText2: 'Publish a text',
  publish2: 'Publish',
  textOfTheFlow2: 'Text of the flow, as JSON or YAML',
  off2: 'off',

  // restore-button.tsx
  versionHasTheText: (made: number, version: number) => `Version ${made} has the text of version ${version}.`,
  makeVersionTheCurrentOne: (version: number) => `Make version ${version} the current one…`,
  makeVersionTheCurrentOne2: (version: number) => `Make version ${version} the current one?`,
  publishItAsVersion: (more: number) => `Publish it as version ${more}`,
  newRunsTakeTheText: (version: number, latest: number) =>
    `New runs take the text of version ${version} then. Runs that have begun go on with theirs, and version ${latest} stays in the list.`,

  // start-dialog.tsx
  dataItBegins: 'Data it begins with, as JSON',
  asManyRunsAsMay: 'As many runs as may live already do. This one begins when one of them ends.',
  started: 'Started.',
  start2: (name: string) => `Start ${name}`,
  start3: 'Start',
  itBeginsWhen: 'It begins when',
  keyByWhichYouWill: 'Key by which you will find it (may be empty)',

  // problem-list.tsx: severities
  severityError: 'error',
  severityWarning: 'warning',
};
