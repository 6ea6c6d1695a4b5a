/* texts/en/flow.ts — English: the texts of the document of a flow: commands, conditions, captions. */
import { count, countUnits, type TimeUnit, unitWord } from '../say';

export const flow = {
  // add-node.ts
  waitForAll: 'Wait for all',
  added: (freeLabel: string) => `Added “${freeLabel}”`,
  thatLineIsNotThere: 'That line is not there any more',
  thatIsNoLoop: 'That is no loop',
  thatStepIsNotThere: 'That step is not there any more',
  nothingFollowsAnEnd: 'Nothing follows an end',
  aStartStands: 'A start stands at the beginning',

  // answer-lines.ts
  end: 'End',

  // delete-nodes.ts
  deleted: (name: string) => `Deleted ${name}`,
  deletedSteps: (count: number) => `Deleted ${count} steps`,
  thereIsNothingToDelete: 'There is nothing to delete',
  aFlowNeedsItsStart: 'A flow needs its start',

  // fields.ts
  theStartHasNothing: 'The start has nothing to fill in',
  changed: (name: string) => `Changed ${name}`,
  thatFieldIsNotThere: 'That field is not there',
  thatCannotBeChanged: 'That cannot be changed',
  namedAStep: (label: string) => `Named a step “${label}”`,
  itHasTheName: 'It has the name of what starts it',
  changedTheAnswers: (name: string) => `Changed the answers of ${name}`,
  flowsOfThisKindStand: 'Steps of this kind of flow stand where the canvas puts them.',
  anotherHasTheName: 'Another step has this name.',
  statesAreCopied: 'States are copied in the text, under new names.',
  flowsOfThisKind: 'Flows of this kind have no answers to choose from',
  thatAnswerIsThereAlready: 'That answer is there already',
  thatCannotBeAnAnswer: 'That cannot be an answer',
  namedTheFlow: 'Named the flow',
  changedTheSettings: 'Changed the settings of the flow',

  // lines.ts
  nothingLeadsToAStart: 'Nothing leads to a start',
  aStepCannotLead: 'A step cannot lead to itself',
  aLoopBegins: 'A loop begins with a step inside of it',
  aLineCannotCross: 'A line cannot cross the border of a loop',
  theLine: 'the line',
  theLine2: (name: string, name2: string) => `the line from ${name} to ${name2}`,
  connectedTo: (name: string, name2: string) => `Connected ${name} to ${name2}`,
  theyAreConnectedAlready: 'They are connected already',
  removed: (ends: string) => `Removed ${ends}`,
  aFlowBegins: 'A flow begins with its first step',
  leadsNowhereThatWay: (name: string) => `${name} leads nowhere that way`,
  leadsTo: (name: string, name2: string) => `${name} leads to ${name2}`,
  changedWhenIsTaken: (ends: string) => `Changed when ${ends} is taken`,
  splitWaitTakesEveryLine: 'Split & Wait takes every line',
  thisLineIsAlwaysTaken: 'This line is always taken',
  otherwiseItTakes: (ends: string) => `Otherwise it takes ${ends}`,
  tookTheName: 'Took the name of a line away',
  namedALine: (label: string) => `Named a line “${label}”`,
  linesOfThisKind: 'Lines of this kind of flow have no names',
  isAsked: (ends: string, more: string) => `${ends} is asked ${more}`,
  earlier: 'earlier',
  later: 'later',
  itCannotGoFurther: 'It cannot go further',

  // move-nodes.ts
  tidiedUp: 'Tidied up',
  moved: (name: string) => `Moved ${name}`,
  movedSteps: (count: number) => `Moved ${count} steps`,
  thereIsNothingToMove: 'There is nothing to move',

  // paste.ts
  pastedAStep: 'Pasted a step',
  pastedSteps: (count: number) => `Pasted ${count} steps`,
  thereIsNothingToPaste: 'There is nothing to paste',
  thatIsNoPart: 'That is no part of a flow',
  thatIsAPart: 'That is a part of another kind of flow',
  thatIsTooManyStarts: 'That is too many starts',

  // replace.ts
  theFlowHasChangedMeanwhile: 'The flow has changed meanwhile',

  // wait-for.ts
  gaveAnEvent: (name: string) => `Gave ${name} an event`,
  thatStepDoesNotWait: 'That step does not wait for an event',
  thatIsNoEvent: 'That is no event',

  // wrap-in-loop.ts
  flowsOfThisKind2: 'Flows of this kind have no loops',
  thereIsNothingToRepeat: 'There is nothing to repeat',
  aStartOrAnEnd: 'A start or an end cannot be repeated',
  theseStepsAreInDifferent: 'These steps are in different loops',
  aLoopHasOneFirst: 'A loop has one first step',
  aLoopGoes: 'A loop goes on at one step',
  repeats: (name: string) => `Repeats ${name}`,
  repeatsSteps: (count: number) => `Repeats ${count} steps`,
  tookTheStepsOut: (name: string) => `Took the steps out of ${name}`,
  theLoopIsEmpty: 'The loop is empty',

  // condition.ts
  is: 'is',
  isNot: 'is not',
  isMoreThan: 'is more than',
  isAtLeast: 'is at least',
  isLessThan: 'is less than',
  isAtMost: 'is at most',
  contains: 'contains',
  beginsWith: 'begins with',
  isOne: 'is one of',
  isThere: 'is there',
  isNotThere: 'is not there',
  isEmpty: 'is empty',
  isFilled: 'is filled in',
  isYes: 'is yes',
  isNo: 'is no',

  // data.ts
  thisItem: 'This item',
  numberOfThisItem: 'Number of this item',
  number: (more: number) => `Number ${more}`,
  lastAnswer: (name: string) => `Last answer: ${name}`,
  of: (label: string, label2: string) => `${label} of ${label2}`,

  // differences.ts
  andMore: (shown: string, more: number) => `${shown} and ${more} more`,
  theirsHasWhichYours: (names: string) => `Theirs has ${names}, which yours has not.`,
  theirsLacks: (names: string) => `Theirs lacks ${names}.`,
  differentInBoth: (names: string) => `Different in both: ${names}.`,
  linesDifferToo: 'Lines differ, too.',
  theirsIsCalled: (theirs: string) => `Theirs is called “${theirs}”.`,

  // flow.ts
  aFlowIsAnObject: 'A flow is an object.',
  theTextChangesThisKind: 'The text changes this kind of flow; the picture shows it.',
  lineCharacter: (message: string, line: number, column: number) =>
    `${message} (line ${line}, character ${column}).`,

  // read.ts
  thisFlowIsWritten: 'This flow is written in an older spelling.',
  isNoListOfObjects: (name: string) => `“${name}” is no list of objects.`,
  aStepHasNoId: 'A step has no id or no type.',
  twoStepsHaveTheId: (id: string) => `Two steps have the id “${id}”.`,
  aLineDoesNotSay: 'A line does not say where it begins or ends.',

  // json.ts
  somethingStandsBehind: 'Something stands behind the end',
  listsAndObjectsAreNested: (max: number) => `Lists and objects are nested more than ${max} deep`,
  aValueIsMissingHere: 'A value is missing here',
  theNumberHasMoreDigits: (raw: string) => `The number ${raw} has more digits than this page can keep`,
  theQuoteIsNeverClosed: 'The quote is never closed',
  aTextMayNotGo: 'A text may not go over the end of a line',
  thisIsNoEscape: 'This is no escape of JSON',
  list: 'list',
  aNameInQuotes: 'A name in quotes is missing here',
  theNameStandsHereTwice: (name: string) => `The name "${name}" stands here twice`,
  aColonIsMissingHere: 'A colon is missing here',
  object: 'object',
  thisIsNeverClosed: (what: string) => `This ${what} is never closed`,
  aCommaIsMissingHere: 'A comma is missing here',

  // reminders.ts
  remindThemWithoutAnE: 'remind them without an e-mail',
  eMailThem: 'e-mail them',

  // say.ts
  nothing: 'nothing',
  yes: 'yes',
  no: 'no',
  somethingElse: 'something else',
  over: 'over',
  under: 'under',
  atLeast: 'at least',
  atMost: 'at most',
  and: ' and ',
  or: ' or ',
  afterAWhile: 'after a while',
  after2: (after: string) => `after ${after}`,
  andWaits: (words: string) => `${words}, and waits on`,
  aConditionOfItsOwn: 'a condition of its own',
  otherwise: 'otherwise',
  noConditionYet: 'no condition yet',
  noAnswerInTime: 'no answer in time',
  noAnswer: (wait: string) => `no answer for ${wait}`,
  ifItFails: 'if it fails',
  anyOtherAnswer: 'any other answer',
  orAnyOtherAnswer: (port: string) => `${port}, or any other answer`,
  waits: (word: string, sayDuration: string) => `${word} · waits ${sayDuration}`,
  atMost2: (word: string, sayDuration: string) => `${word} · at most ${sayDuration}`,
  severalAtOnce: 'several at once',
  oneAfterTheOther: 'one after the other',

  // schedule.ts
  everyWeekday: 'Every weekday',
  everyDay: 'Every day',
  everyWeek: 'Every week',
  everyMonth: 'Every month',
  everyHour: 'Every hour',
  everyFewMinutes: 'Every few minutes',

  // data.ts
  whatArrived: 'What arrived',

  // problems.ts
  itDoesNotSayWhich: 'It does not say which kind of job a worker takes.',
  nothingFollowsThisStep: 'Nothing follows this step.',
  noWayLeads: 'No way leads on from this decision.',
  itSetsNoValueYet: 'It sets no value yet.',
  aSplitNeedsTwoWays: 'A split needs two ways or more.',
  itDoesNotSayWhere: 'It does not say where its ways meet again.',
  itHasNoRulesYet: 'It has no rules yet.',
  itHasNoName: 'It has no name.',
  aTimerDoesNotSay: 'A timer does not say after which time.',
  aTimerDoesNotSay2: 'A timer does not say where it leads.',
  aWayHasNoCondition: 'A way has no condition yet.',

  // read.ts
  ofTheStepCannot: (what: string, text: string) => `${what} of the step “${text}” cannot be drawn.`,
  stepsIsNoList: '“steps” is no list of objects.',
  triggersIsNoList: '“triggers” is no list of objects.',
  someNamesInThisFlow: 'Some names in this flow are written with other capital letters than usual.',
  metadataIsNoObject: '“metadata” is no object.',

  // types.ts
  start: 'Start',
  then: 'Then',

  // under-id.ts
  newFlow: 'New flow',

  // until.ts
  howManyWentWell: 'How many went well',
  howManyFailed: 'How many failed',
  howManyThere: 'How many there are',
  whatTheyGave: 'What they gave',

  // reminders.ts
  after: (number: number, unit: TimeUnit) => `After ${countUnits(number, unit)}`,
  andAgainEvery: (number: number, unit: TimeUnit) =>
    `, and again every ${number === 1 ? unitWord(1, unit) : countUnits(number, unit)} until somebody answers`,
  nRules: (number: number) => count(number, { one: '# rule', other: '# rules' }),

  // values.ts
  kindText: 'Text',
  kindNumber: 'Number',
  kindYesNo: 'Yes or no',
  kindFormula: 'Formula',
};
