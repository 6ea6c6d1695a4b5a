/* texts/en/inbox.ts — English: the texts of the inbox. */
import { type Node, rich } from '../say';

export const inbox = {
  // answer-form.tsx
  sent: (title: string, more: string) => `Sent: ${title}${more}`,
  next: (title: string) => `. Next: ${title}`,
  youHaveTheTask: 'You have the task',
  youPutTheTaskBack: 'You put the task back',
  whatYouHadTyped: ' What you had typed was not sent; it is still below.',
  hasThisTaskYouCan: 'has this task. You can answer it after it is handed over to you.',
  thereIsNothingToFill: 'There is nothing to fill in. Send it when it is done.',
  sendAnswer: 'Send answer',
  markAsDone: 'Mark as done',
  ctrl: 'Ctrl ↵',
  handOver: 'Hand over…',
  takeIt: 'Take it',
  putBack: 'Put back',
  next2: (title: string) => `Next: ${title}`,
  yourAnswer: 'Your answer',
  chooseOne: 'Choose one',

  // hand-over.tsx
  handedOver: (to: string) => `Handed over to ${to}`,
  handOverThisTask: 'Hand over this task',
  handOver2: 'Hand over',
  toWhom: 'To whom',
  aWordToThem: 'A word to them',

  // inbox-page.tsx
  nextTask: 'Next task',
  taskBefore: 'Task before',
  openTheTaskAndGo: 'Open the task and go to its form',
  takeTheTaskOrPut: 'Take the task, or put it back',
  handItOver: 'Hand it over',
  writeAComment: 'Write a comment',
  sendTheAnswer: 'Send the answer',
  inbox: 'Inbox',
  tasks: 'Tasks',
  whoYou: 'Who you are',
  signedIn: (name: string) => `Signed in as ${name}`,
  nothingWaitsForYouNew: 'Nothing waits for you. New tasks appear here by themselves.',
  nothingWaitsForYourGroups: 'Nothing waits for your groups.',
  noRunWaitsForAnybody: 'No run waits for anybody.',
  whoseTasks: 'Whose tasks',

  // lost-answers.tsx
  whatYouHadTyped2: (end: string) => `: ${end} What you had typed was not sent.`,
  forgetWhatWasTyped: (title: string) => `Forget what was typed for ${title}`,

  // run-pane.tsx
  theRun: 'The run',
  whereThisStands: 'Where this stands',
  openTheRun: 'Open the run',
  whatHappenedToTheTask: 'What happened to the task',
  now: 'Now',
  waitsForAnAnswer: 'Waits for an answer',
  youAreHere: 'You are here',
  pictureOfTheRun: 'Picture of the run',
  commentSent: 'Comment sent',
  comment: 'Comment',
  send: 'Send',

  // sent-note.tsx
  sent2: (title: string, more: string) => `Sent: ${title}. ${more}`,
  nothingElseWaits: 'Nothing else waits.',

  // story.ts
  somebody: 'Somebody',
  you: 'You',
  theTaskWasOpened: 'The task was opened',
  tookTheTask: (who: string) => `${who} took the task`,
  putItBack: (who: string) => `${who} put it back`,
  handedItOver: (who: string) => `${who} handed it over`,
  changedIt: (who: string) => `${who} changed it`,
  wrote: (who: string) => `${who} wrote`,
  nobodyHadAnsweredAReminder: 'Nobody had answered: a reminder was sent',
  anEMailAbout: 'An e-mail about it was sent',
  anEMailAbout2: 'An e-mail about it could not be sent',
  nobodyHadAnswered: 'Nobody had answered: it was passed on',
  answered: (who: string) => `${who} answered`,
  itsTimeWasOver: 'Its time was over',
  itWasNoLongerNeeded: 'It was no longer needed',
  youHave: 'You have it',
  hasIt: (assignee: string) => `${assignee} has it`,
  you2: 'you',
  theGroups: (list: string) => `the groups ${list}`,
  theGroup: (list: string) => `the group ${list}`,
  forEverybodyNotTakenYet: 'For everybody, not taken yet',
  forNotTakenYet: (list: string) => `For ${list}, not taken yet`,
  answered2: (who: string, more: string) => `${who} answered${more}.`,
  theTimeForAnAnswer: 'The time for an answer is over.',
  theRunWentOnWithout: 'The run went on without an answer.',
  theRunHasFailed: 'The run has failed. If it is tried again, the task may open again.',
  yes: 'Yes',
  no: 'No',

  // task-list.tsx
  theTasks: 'The tasks',
  nothingHere: 'Nothing here.',
  showMore: 'Show more',
  nextBefore: (press: Node, press2: Node) => rich`${press} ${press2} next, before`,
  open: (press: Node) => rich`${press} open`,

  // task-lists.ts
  mine: 'Mine',
  myGroups: 'My groups',
  all: 'All',
  forMe: 'For me',
  dueFirst: 'Due first',
  forNotTakenYet2: (groups: string) => `For ${groups}, not taken yet`,
  youAreInNoGroup: 'You are in no group',
  for: (groups: string) => `For ${groups}`,
  forEverybody: 'For everybody',
  oldestFirst: 'Oldest first',

  // task-pane.tsx
  thisTask: 'This task',
  theTask: 'The task',
  allTasks: 'All tasks',
  since: (at: string) => `since ${at}`,
  asked: (at: string) => `asked ${at}`,

  // who-am-i.tsx
  tasksAreForPeople: 'Tasks are for people and groups by name. This browser remembers what you say here.',
  yourNameAsYourFlows: 'Your name, as your flows know you',
  yourGroups: 'Your groups',
  commasBetweenThemSuch: 'Commas between them, such as: hr, team leads',
  showMyTasks: 'Show my tasks',
  keep: 'Keep',
  whoAreYou: 'Who are you?',
};
