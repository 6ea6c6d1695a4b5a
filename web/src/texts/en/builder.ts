/* texts/en/builder.ts — English: the texts of the builder. */
import { count, type Node, rich } from '../say';

export const builder = {
  // add-list.tsx
  addAStep: 'Add a step',
  findAStep: 'Find a step',
  whichStep: 'Which step?',
  steps: 'Steps',
  noStepIsCalledSo: 'No step is called so.',

  // builder-bar.tsx
  canvas: 'Canvas',
  outline: 'Outline',
  text: 'Text',
  flows: 'Flows',
  draft: 'draft',
  draftOfV: (version: number) => `draft of v${version}`,
  takeBackCtrlZ: 'Take back (Ctrl Z)',
  doAgainCtrlShiftZ: 'Do again (Ctrl Shift Z)',
  view: 'View',
  nProblems: (number: number) => count(number, { one: '# problem', other: '# problems' }),
  test: 'Test',
  publish: (more: string) => `Publish${more}`,
  v: (next: number) => ` v${next}`,
  problems: 'Problems',

  // builder-page.tsx
  flow: 'Flow',
  theFlow: 'The flow',

  // canvas-data.ts
  stepOf: (more: number, total: number) => `step ${more} of ${total}`,
  lineFromTo: (from: string, to: string) => `Line from ${from} to ${to}`,
  line: (more: string, at: number) => `${more}, line ${at}`,

  // canvas-line.tsx
  addAStepHereBehind: (source: string) => `Add a step here, behind ${source}`,
  addAStepHere: 'Add a step here',

  // canvas-node.tsx
  addAStepInside: (label: string) => `Add a step inside of ${label}`,
  addAStepInside2: 'Add a step inside',

  // canvas.tsx
  sizeOfTheCanvas: 'Size of the canvas',
  further: 'Further',
  showAll: 'Show all of it',
  closer: 'Closer',
  tidyUp: 'Tidy up',

  // chips.tsx
  isNoEMailAddress: (text: string) => `“${text}” is no e-mail address: write one such as ann@example.org.`,
  remove: (more: string) => `Remove ${more}`,
  typeANamePressEnter: 'Type a name, press Enter',
  add: 'Add',
  insertAValueInto: (label: string) => `Insert a value into ${label}`,
  insertAValue: 'Insert a value from an earlier step (Ctrl Space)',

  // editor.tsx
  theBuilderWantsAWider: 'The builder wants a wider window',
  turnThePhone: 'Turn the phone, or make the window wider. What you have done is saved.',
  allFlows: 'All flows',
  noProblemFound: 'No problem found.',
  fromThePanelBack: 'From the panel back to the step',
  nextProblem: 'Next problem',
  nextPartOfThePage: 'Next part of the page',
  partOfThePageBefore: 'Part of the page before',
  takeBackCtrlShiftZ: 'Take back; Ctrl Shift Z does it again',
  pasteSteps: 'Paste steps',
  builder: 'Builder',
  thisView: 'this view',
  changedTheText: 'Changed the text',
  thisPanel: 'this panel',
  somebodyElse: 'Somebody else',
  somebodyElseChanged: 'Somebody else changed this flow',
  whileYouDidNothing: (strong: Node, differences: string) =>
    rich`${strong} while you did. ${differences} Nothing of either is lost until you choose.`,
  changedThisFlow: (who: Node) => rich`${who} changed this flow`,
  takeTheirs: 'Take theirs',
  keepMine: 'Keep mine',
  theTextHasAMistake: 'The text has a mistake, so this view takes no edits. ',
  showTheText: 'Show the text',
  theDraftCould: (why: string) => `The draft could not be saved: ${why}`,
  tryAgain: 'Try again',

  // gallery-page.tsx
  newFlow: 'New flow',
  somebodyAsks: 'Somebody asks',
  done: 'Done',
  begin: 'Begin',
  hello: 'Hello',
  whatYouPasted: 'What you pasted',
  whatShouldHappen: 'What should happen?',
  takeWhatComesClosestYou:
    'Take what comes closest. You change the words, test it in a minute, and publish when it is right. Nothing runs until then.',
  theTemplates: 'The templates',
  startFromScratch: 'Start from scratch',
  withAStart: 'With a start and an end on it already',
  forDevelopersOtherWays: 'For developers: other ways to write a flow',
  jobsThatYourOwnWorkers: 'Jobs that your own workers take, decisions and tables. On the canvas, too.',
  serverlessWorkflow: 'Serverless workflow',
  theOpenStandardAsText: 'The open standard, on the same canvas.',
  pictureOf: (name: string) => `Picture of ${name}`,
  nSteps: (number: number) => count(number, { one: '# step', other: '# steps' }),
  nPeople: (number: number) => count(number, { one: '# person', other: '# people' }),
  decides: 'decides',
  sideBySide: 'side by side',
  repeats: 'repeats',
  waitsForAnAnswer: 'waits for an answer',
  noDraftWaitsForYou: 'No draft waits for you.',
  goOnWithADraft: 'Go on with a draft',
  saved: (more: string, at: string) => `${more}, saved ${at}`,
  dropAFileOrPaste: 'Drop a file or paste text',
  aFlowThatSomebodySaved: 'A flow that somebody saved',

  // kept-text.ts
  theFlowWasSavedAfter: ' The flow was saved after this text was typed: look at both before you mend it.',

  // line-popover.tsx
  whenToGoThisWay: 'When to go this way',
  goThisWayOtherwise: 'Go this way otherwise',
  goThisWayWhen: 'Go this way when',
  to: (more: string) => `to ${more}`,
  wayBefore: 'Way before',
  of: (more: number, count: number) => `${more} of ${count}`,
  nextWay: 'Next way',
  close: 'Close',

  // other-view.tsx
  thisPicture: 'this picture',
  theCanvasCanShow: 'The canvas can show this flow.',
  showTheCanvas: 'Show the canvas',
  thereIsNoPicture: 'There is no picture of this text yet.',
  thePictureShowsTheText: 'The picture shows the text as it was before the mistake.',

  // outline-view.tsx
  outlineOfTheFlow: 'Outline of the flow',
  stepOf2: (number: number, total: number, more: string) => `, step ${number} of ${total}${more}`,
  then: 'then',
  line2: 'Line:',
  to2: (name: string) => `to ${name}`,
  goesOn: (name: string) => `goes on at ${name}`,
  addsAStepBehind: (press: Node, press2: Node, press3: Node) =>
    rich`${press} adds a step behind the chosen one, ${press2} opens it, ${press3} shows all keys.`,

  // palette.tsx
  stepsThatCanBeAdded: 'Steps that can be added',
  addAStep2: 'Add a step (A)',

  // part.tsx
  weMadeAMistake: (what: string) => `We made a mistake in ${what}.`,
  yourFlowIsKept: (message: string) => `Your flow is kept. ${message}`,

  // problems.tsx
  problem: 'Problem',
  mustBeMended: 'Must be mended',
  lookAt: 'Look at this',
  /** Hints of the engine that speak of the text of a flow, by their English form. */
  hints: {
    'draw a line for it, or mark one of the lines with "default": true': 'Choose where it leads.',
    'mark one of the lines with "default": true': 'Choose where any other answer leads.',
    'mark one of its edges with "default": true': 'Choose which way is taken when nothing matches.',
  },
  chooseTheWay: 'Choose the way',
  chooseWhereItLeads: 'Choose where it leads',
  anyOtherAnswerLeadsTo: (name: string) => `Any other answer leads to ${name}`,

  // publish-dialog.tsx
  versionIsPublished: (version: number) => `Version ${version} is published.`,
  notYetSomethingMust: 'Not yet: something must be mended',
  publish2: (name: string) => `Publish “${name}”`,
  backToTheFlow: 'Back to the flow',
  notNow: 'Not now',
  publishVersion: (version: number) => `Publish version ${version}`,
  fromNowOnItCan: 'From now on it can be started.',
  newRunsTakeThisVersion: 'New runs take this version. Runs that have begun go on with theirs.',
  canWait: (count: string) => ` ${count} can wait.`,

  // sample-input.ts
  sample: 'Sample',

  // store.ts
  theTextHasAMistake2: 'The text has a mistake; mend it first',
  ctrlZTakesItBack: (says: string) => `${says}. Ctrl Z takes it back.`,
  takenBack: (says: string) => `Taken back: ${says}`,
  doneAgain: (says: string) => `Done again: ${says}`,
  tookTheOtherVersion: 'Took the other version',

  // stores.ts
  aFlowIsAnObject: 'A flow is an object.',

  // text-view.tsx
  textOfTheFlow: 'Text of the flow',

  // use-canvas-keys.ts
  nextStep: 'Next step',
  stepBefore: 'Step before',
  nextWayOrTheNext: 'Next way, or the next step',
  wayBeforeOrTheStep: 'Way before, or the step before',
  openTheStep: 'Open the step',
  addAStepBehind: 'Add a step behind this one',
  addAStepInside3: 'Add a step inside of a loop',
  thisStepIsInNo: 'This step is in no loop.',
  theLinesOfThisStep: 'The lines of this step; first one that has no condition yet',
  noLineLeavesThisStep: 'No line leaves this step.',
  connectThisStepToAnother: 'Connect this step to another',
  repeatThisStepForEach: 'Repeat this step for each of a list',
  forEach: 'For each',
  moveToTheRight: 'Move to the right',
  moveToTheLeft: 'Move to the left',
  moveDown: 'Move down',
  moveUp: 'Move up',
  copyAlsoToAnotherWindow: 'Copy, also to another window',
  nothingToCopy: 'Nothing here can be copied.',
  copiedAStep: 'Copied a step',
  copiedSteps: (count: number) => `Copied ${count} steps`,
  theBrowserDoesNotLet: 'The browser does not let this page copy.',

  // gallery-page.tsx: files
  isNoJson: (name: string, message: string, line: number) => `${name} is no JSON: ${message} (line ${line}).`,

  // use-canvas-keys.ts: delete
  deleteIt: 'Delete',
  // flow-map.tsx, find-step.tsx, outline-view.tsx
  mapOfTheFlow: 'Map of the flow: press to go there, arrows move',
  noStepFound: 'No step has these words',
  stepBefore2: 'The one before',
  stepAfter: 'The next one',
  foldIt: 'Fold (-)',
  unfoldIt: 'Unfold (+)',
  foldAll: 'Fold all',
  unfoldAll: 'Unfold all',
  nHidden: (n: number) => `${n} hidden`,
  nthOf: (at: number, total: number) => `${at} of ${total}`,
  // presence.tsx
  youElsewhere: 'You, on another page',
  isHereToo: (names: string, people: number) =>
    people === 1 ? `${names} is here, too` : `${names} are here, too`,
  somebodyChanged: (who: Node, how: string) => rich`${who} has changed this flow just now. ${how}`,
  takeBack: 'Take it back',
  fine: 'Fine',
};
