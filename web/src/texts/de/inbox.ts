/* texts/de/inbox.ts — German: the texts of the inbox. */
import { rich } from '../say';
import type { Like } from '../shape';
import type { inbox as English } from '../en/inbox';

export const inbox = {
  // answer-form.tsx
  sent: (title, more) => `Gesendet: ${title}${more}`,
  next: (title) => `. Als Nächstes: ${title}`,
  youHaveTheTask: 'Sie haben die Aufgabe',
  youPutTheTaskBack: 'Sie haben die Aufgabe zurückgelegt',
  whatYouHadTyped: ' Was Sie getippt hatten, wurde nicht gesendet; es steht noch unten.',
  hasThisTaskYouCan: 'hat diese Aufgabe. Sie können sie beantworten, nachdem sie an Sie übergeben wurde.',
  thereIsNothingToFill: 'Hier ist nichts auszufüllen. Senden Sie, wenn es erledigt ist.',
  sendAnswer: 'Antwort senden',
  markAsDone: 'Als erledigt melden',
  ctrl: 'Strg ↵',
  handOver: 'Übergeben …',
  takeIt: 'Übernehmen',
  putBack: 'Zurücklegen',
  next2: (title) => `Als Nächstes: ${title}`,
  yourAnswer: 'Ihre Antwort',
  chooseOne: 'Wählen Sie eins',

  // hand-over.tsx
  handedOver: (to) => `Übergeben an ${to}`,
  handOverThisTask: 'Diese Aufgabe übergeben',
  handOver2: 'Übergeben',
  toWhom: 'An wen',
  aWordToThem: 'Ein Wort dazu',

  // inbox-page.tsx
  nextTask: 'Nächste Aufgabe',
  taskBefore: 'Vorige Aufgabe',
  openTheTaskAndGo: 'Aufgabe öffnen und zu ihrem Formular gehen',
  takeTheTaskOrPut: 'Aufgabe übernehmen oder zurücklegen',
  handItOver: 'Übergeben',
  writeAComment: 'Einen Kommentar schreiben',
  sendTheAnswer: 'Antwort senden',
  inbox: 'Posteingang',
  tasks: 'Aufgaben',
  whoYou: 'Wer Sie sind',
  signedIn: (name) => `Angemeldet als ${name}`,
  nothingWaitsForYouNew: 'Nichts wartet auf Sie. Neue Aufgaben erscheinen hier von selbst.',
  nothingWaitsForYourGroups: 'Nichts wartet auf Ihre Gruppen.',
  noRunWaitsForAnybody: 'Kein Lauf wartet auf jemanden.',
  whoseTasks: 'Wessen Aufgaben',

  // lost-answers.tsx
  whatYouHadTyped2: (end) => `: ${end} Was Sie getippt hatten, wurde nicht gesendet.`,
  forgetWhatWasTyped: (title) => `Getipptes zu ${title} verwerfen`,

  // run-pane.tsx
  theRun: 'Der Lauf',
  whereThisStands: 'Wo das steht',
  openTheRun: 'Lauf öffnen',
  whatHappenedToTheTask: 'Was mit der Aufgabe geschah',
  now: 'Jetzt',
  waitsForAnAnswer: 'Wartet auf eine Antwort',
  youAreHere: 'Sie sind hier',
  pictureOfTheRun: 'Bild des Laufs',
  commentSent: 'Kommentar gesendet',
  comment: 'Kommentar',
  send: 'Senden',

  // sent-note.tsx
  sent2: (title, more) => `Gesendet: ${title}. ${more}`,
  nothingElseWaits: 'Sonst wartet nichts.',

  // story.ts
  somebody: 'Jemand',
  you: 'Sie',
  theTaskWasOpened: 'Die Aufgabe wurde geöffnet',
  tookTheTask: (who) => `Übernommen: ${who}`,
  putItBack: (who) => `Zurückgelegt: ${who}`,
  handedItOver: (who) => `Übergeben: ${who}`,
  changedIt: (who) => `Geändert: ${who}`,
  wrote: (who) => `Geschrieben: ${who}`,
  nobodyHadAnsweredAReminder: 'Niemand hatte geantwortet: Eine Erinnerung wurde gesendet',
  anEMailAbout: 'Eine E-Mail dazu wurde gesendet',
  anEMailAbout2: 'Eine E-Mail dazu konnte nicht gesendet werden',
  nobodyHadAnswered: 'Niemand hatte geantwortet: Sie wurde weitergereicht',
  answered: (who) => `Beantwortet: ${who}`,
  itsTimeWasOver: 'Ihre Zeit war um',
  itWasNoLongerNeeded: 'Sie wurde nicht mehr gebraucht',
  youHave: 'Sie haben sie',
  hasIt: (assignee) => `Bei ${assignee}`,
  you2: 'Sie',
  theGroups: (list) => `die Gruppen ${list}`,
  theGroup: (list) => `die Gruppe ${list}`,
  forEverybodyNotTakenYet: 'Für alle, noch nicht übernommen',
  forNotTakenYet: (list) => `Für ${list}, noch nicht übernommen`,
  answered2: (who, more) => `Beantwortet${more}: ${who}.`,
  theTimeForAnAnswer: 'Die Zeit für eine Antwort ist um.',
  theRunWentOnWithout: 'Der Lauf ging ohne Antwort weiter.',
  theRunHasFailed: 'Der Lauf ist fehlgeschlagen. Wird er wiederholt, kann sich die Aufgabe wieder öffnen.',
  yes: 'Ja',
  no: 'Nein',

  // task-list.tsx
  theTasks: 'Die Aufgaben',
  nothingHere: 'Hier ist nichts.',
  showMore: 'Mehr zeigen',
  nextBefore: (press, press2) => rich`${press} ${press2} nächste, vorige`,
  open: (press) => rich`${press} öffnen`,

  // task-lists.ts
  mine: 'Meine',
  myGroups: 'Meine Gruppen',
  all: 'Alle',
  forMe: 'Für mich',
  dueFirst: 'Zuerst Fälliges',
  forNotTakenYet2: (groups) => `Für ${groups}, noch nicht übernommen`,
  youAreInNoGroup: 'Sie sind in keiner Gruppe',
  for: (groups) => `Für ${groups}`,
  forEverybody: 'Für alle',
  oldestFirst: 'Älteste zuerst',

  // task-pane.tsx
  thisTask: 'Diese Aufgabe',
  theTask: 'Die Aufgabe',
  allTasks: 'Alle Aufgaben',
  since: (at) => `seit ${at}`,
  asked: (at) => `gefragt ${at}`,

  // who-am-i.tsx
  tasksAreForPeople:
    'Aufgaben richten sich namentlich an Personen und Gruppen. Dieser Browser merkt sich, was Sie hier angeben.',
  yourNameAsYourFlows: 'Ihr Name, wie Ihre Abläufe Sie kennen',
  yourGroups: 'Ihre Gruppen',
  commasBetweenThemSuch: 'Mit Kommas dazwischen, etwa: hr, teamleitung',
  showMyTasks: 'Meine Aufgaben zeigen',
  keep: 'Behalten',
  whoAreYou: 'Wer sind Sie?',
} satisfies Like<typeof English>;
