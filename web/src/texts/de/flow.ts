/* texts/de/flow.ts — German: the texts of the document of a flow: commands, conditions, captions. */
import { count, countUnits } from '../say';
import type { Like } from '../shape';
import type { flow as English } from '../en/flow';

/* “nach” takes the dative, which Intl does not write. */
const AFTER = {
  week: { one: '# Woche', other: '# Wochen' },
  day: { one: '# Tag', other: '# Tagen' },
  hour: { one: '# Stunde', other: '# Stunden' },
  minute: { one: '# Minute', other: '# Minuten' },
  second: { one: '# Sekunde', other: '# Sekunden' },
  millisecond: { one: '# Millisekunde', other: '# Millisekunden' },
};
const EVERY = {
  week: 'jede Woche',
  day: 'jeden Tag',
  hour: 'jede Stunde',
  minute: 'jede Minute',
  second: 'jede Sekunde',
  millisecond: 'jede Millisekunde',
};

export const flow = {
  // add-node.ts
  waitForAll: 'Auf alle warten',
  added: (freeLabel) => `„${freeLabel}“ hinzugefügt`,
  thatLineIsNotThere: 'Diese Linie gibt es nicht mehr',
  thatIsNoLoop: 'Das ist keine Schleife',
  thatStepIsNotThere: 'Diesen Schritt gibt es nicht mehr',
  nothingFollowsAnEnd: 'Auf ein Ende folgt nichts',
  aStartStands: 'Ein Start steht am Anfang',

  // answer-lines.ts
  end: 'Ende',

  // delete-nodes.ts
  deleted: (name) => `${name} gelöscht`,
  deletedSteps: (count) => `${count} Schritte gelöscht`,
  thereIsNothingToDelete: 'Es gibt nichts zu löschen',
  aFlowNeedsItsStart: 'Ein Ablauf braucht seinen Start',

  // fields.ts
  theStartHasNothing: 'Der Start hat nichts auszufüllen',
  changed: (name) => `${name} geändert`,
  thatFieldIsNotThere: 'Dieses Feld gibt es hier nicht',
  thatCannotBeChanged: 'Das kann nicht geändert werden',
  namedAStep: (label) => `Einen Schritt „${label}“ genannt`,
  itHasTheName: 'Er heißt wie das, was ihn startet',
  changedTheAnswers: (name) => `Antworten von ${name} geändert`,
  flowsOfThisKindStand: 'Schritte dieser Art von Ablauf stehen, wo die Arbeitsfläche sie hinstellt.',
  anotherHasTheName: 'Ein anderer Schritt hat diesen Namen.',
  statesAreCopied: 'Zustände werden im Text kopiert, unter neuen Namen.',
  flowsOfThisKind: 'Abläufe dieser Art haben keine Antworten zur Auswahl',
  thatAnswerIsThereAlready: 'Diese Antwort gibt es schon',
  thatCannotBeAnAnswer: 'Das kann keine Antwort sein',
  namedTheFlow: 'Ablauf benannt',
  changedTheSettings: 'Einstellungen des Ablaufs geändert',

  // lines.ts
  nothingLeadsToAStart: 'Zu einem Start führt nichts',
  aStepCannotLead: 'Ein Schritt kann nicht zu sich selbst führen',
  aLoopBegins: 'Eine Schleife beginnt mit einem Schritt in ihr',
  aLineCannotCross: 'Eine Linie kann die Grenze einer Schleife nicht überqueren',
  theLine: 'die Linie',
  theLine2: (name, name2) => `die Linie von ${name} nach ${name2}`,
  connectedTo: (name, name2) => `${name} mit ${name2} verbunden`,
  theyAreConnectedAlready: 'Sie sind schon verbunden',
  removed: (ends) => `Entfernt: ${ends}`,
  aFlowBegins: 'Ein Ablauf beginnt mit seinem ersten Schritt',
  leadsNowhereThatWay: (name) => `${name} führt dort nirgendwohin`,
  leadsTo: (name, name2) => `${name} führt zu ${name2}`,
  changedWhenIsTaken: (ends) => `Bedingung geändert: ${ends}`,
  splitWaitTakesEveryLine: 'Teilen & Warten nimmt jede Linie',
  thisLineIsAlwaysTaken: 'Diese Linie wird immer genommen',
  otherwiseItTakes: (ends) => `Sonst gilt ${ends}`,
  tookTheName: 'Namen einer Linie entfernt',
  namedALine: (label) => `Eine Linie „${label}“ genannt`,
  linesOfThisKind: 'Linien in dieser Art von Ablauf haben keine Namen',
  isAsked: (ends, more) => `${more} gefragt: ${ends}`,
  earlier: 'früher',
  later: 'später',
  itCannotGoFurther: 'Weiter geht es nicht',

  // move-nodes.ts
  tidiedUp: 'Aufgeräumt',
  moved: (name) => `${name} verschoben`,
  movedSteps: (count) => `${count} Schritte verschoben`,
  thereIsNothingToMove: 'Es gibt nichts zu verschieben',

  // paste.ts
  pastedAStep: 'Einen Schritt eingefügt',
  pastedSteps: (count) => `${count} Schritte eingefügt`,
  thereIsNothingToPaste: 'Es gibt nichts einzufügen',
  thatIsNoPart: 'Das ist kein Teil eines Ablaufs',
  thatIsAPart: 'Das ist ein Teil einer anderen Art von Ablauf',
  thatIsTooManyStarts: 'Das sind zu viele Starts',

  // replace.ts
  theFlowHasChangedMeanwhile: 'Der Ablauf hat sich inzwischen geändert',

  // wait-for.ts
  gaveAnEvent: (name) => `${name} ein Ereignis gegeben`,
  thatStepDoesNotWait: 'Dieser Schritt wartet auf kein Ereignis',
  thatIsNoEvent: 'Das ist kein Ereignis',

  // wrap-in-loop.ts
  flowsOfThisKind2: 'Abläufe dieser Art haben keine Schleifen',
  thereIsNothingToRepeat: 'Es gibt nichts zu wiederholen',
  aStartOrAnEnd: 'Ein Start oder Ende kann nicht wiederholt werden',
  theseStepsAreInDifferent: 'Diese Schritte sind in verschiedenen Schleifen',
  aLoopHasOneFirst: 'Eine Schleife hat einen ersten Schritt',
  aLoopGoes: 'Eine Schleife geht an einem Schritt weiter',
  repeats: (name) => `Wiederholt ${name}`,
  repeatsSteps: (count) => `Wiederholt ${count} Schritte`,
  tookTheStepsOut: (name) => `Schritte aus ${name} herausgenommen`,
  theLoopIsEmpty: 'Die Schleife ist leer',

  // condition.ts
  is: 'ist',
  isNot: 'ist nicht',
  isMoreThan: 'ist mehr als',
  isAtLeast: 'ist mindestens',
  isLessThan: 'ist weniger als',
  isAtMost: 'ist höchstens',
  contains: 'enthält',
  beginsWith: 'beginnt mit',
  isOne: 'ist eins von',
  isThere: 'ist vorhanden',
  isNotThere: 'ist nicht vorhanden',
  isEmpty: 'ist leer',
  isFilled: 'ist ausgefüllt',
  isYes: 'ist ja',
  isNo: 'ist nein',

  // data.ts
  thisItem: 'Dieses Element',
  numberOfThisItem: 'Nummer dieses Elements',
  number: (more) => `Nummer ${more}`,
  lastAnswer: (name) => `Letzte Antwort: ${name}`,
  of: (label, label2) => `${label} von ${label2}`,

  // differences.ts
  andMore: (shown, more) => `${shown} und ${more} weitere`,
  theirsHasWhichYours: (names) => `Die andere Fassung hat ${names}, Ihre nicht.`,
  theirsLacks: (names) => `In der anderen Fassung fehlt ${names}.`,
  differentInBoth: (names) => `In beiden verschieden: ${names}.`,
  linesDifferToo: 'Auch Linien unterscheiden sich.',
  theirsIsCalled: (theirs) => `Die andere Fassung heißt „${theirs}“.`,

  // flow.ts
  aFlowIsAnObject: 'Ein Ablauf ist ein Objekt.',
  theTextChangesThisKind: 'Der Text ändert diese Art von Ablauf; das Bild zeigt sie.',
  lineCharacter: (message, line, column) => `${message} (Zeile ${line}, Zeichen ${column}).`,

  // read.ts
  thisFlowIsWritten: 'Dieser Ablauf ist in einer älteren Schreibweise verfasst.',
  isNoListOfObjects: (name) => `„${name}“ ist keine Liste von Objekten.`,
  aStepHasNoId: 'Ein Schritt hat keine ID oder keinen Typ.',
  twoStepsHaveTheId: (id) => `Zwei Schritte haben die ID „${id}“.`,
  aLineDoesNotSay: 'Eine Linie sagt nicht, wo sie beginnt oder endet.',

  // json.ts
  somethingStandsBehind: 'Hinter dem Ende steht noch etwas',
  listsAndObjectsAreNested: (max) => `Listen und Objekte sind mehr als ${max} Ebenen tief geschachtelt`,
  aValueIsMissingHere: 'Hier fehlt ein Wert',
  theNumberHasMoreDigits: (raw) => `Die Zahl ${raw} hat mehr Stellen, als diese Seite behalten kann`,
  theQuoteIsNeverClosed: 'Das Anführungszeichen wird nie geschlossen',
  aTextMayNotGo: 'Ein Text darf nicht über das Zeilenende gehen',
  thisIsNoEscape: 'Das ist kein Steuerzeichen von JSON',
  list: 'Liste',
  aNameInQuotes: 'Hier fehlt ein Name in Anführungszeichen',
  theNameStandsHereTwice: (name) => `Der Name "${name}" steht hier zweimal`,
  aColonIsMissingHere: 'Hier fehlt ein Doppelpunkt',
  object: 'Objekt',
  thisIsNeverClosed: (what) => `Nie geschlossen: ${what}`,
  aCommaIsMissingHere: 'Hier fehlt ein Komma',

  // reminders.ts
  remindThemWithoutAnE: 'ohne E-Mail erinnern',
  eMailThem: 'eine E-Mail senden',

  // say.ts
  nothing: 'nichts',
  yes: 'ja',
  no: 'nein',
  somethingElse: 'etwas anderes',
  over: 'über',
  under: 'unter',
  atLeast: 'mindestens',
  atMost: 'höchstens',
  and: ' und ',
  or: ' oder ',
  afterAWhile: 'nach einer Weile',
  after2: (after) => `Frist ${after}`,
  andWaits: (words) => `${words}, und wartet weiter`,
  aConditionOfItsOwn: 'eine eigene Bedingung',
  otherwise: 'sonst',
  noConditionYet: 'noch keine Bedingung',
  noAnswerInTime: 'nicht rechtzeitig beantwortet',
  noAnswer: (wait) => `keine Antwort (${wait})`,
  ifItFails: 'wenn es fehlschlägt',
  anyOtherAnswer: 'jede andere Antwort',
  orAnyOtherAnswer: (port) => `${port}, oder jede andere Antwort`,
  waits: (word, sayDuration) => `${word} · wartet ${sayDuration}`,
  atMost2: (word, sayDuration) => `${word} · höchstens ${sayDuration}`,
  severalAtOnce: 'mehrere gleichzeitig',
  oneAfterTheOther: 'einer nach dem anderen',

  // schedule.ts
  everyWeekday: 'Jeden Werktag',
  everyDay: 'Jeden Tag',
  everyWeek: 'Jede Woche',
  everyMonth: 'Jeden Monat',
  everyHour: 'Jede Stunde',
  everyFewMinutes: 'Alle paar Minuten',

  // data.ts
  whatArrived: 'Was eintraf',

  // problems.ts
  itDoesNotSayWhich: 'Es fehlt, welche Art von Auftrag ein Worker übernimmt.',
  nothingFollowsThisStep: 'Auf diesen Schritt folgt nichts.',
  noWayLeads: 'Von dieser Entscheidung führt kein Weg weiter.',
  itSetsNoValueYet: 'Er setzt noch keinen Wert.',
  aSplitNeedsTwoWays: 'Eine Teilung braucht zwei oder mehr Wege.',
  itDoesNotSayWhere: 'Es fehlt, wo sich die Wege wieder treffen.',
  itHasNoRulesYet: 'Er hat noch keine Regeln.',
  itHasNoName: 'Er hat keinen Namen.',
  aTimerDoesNotSay: 'Ein Zeitgeber sagt nicht, nach welcher Zeit.',
  aTimerDoesNotSay2: 'Ein Zeitgeber sagt nicht, wohin er führt.',
  aWayHasNoCondition: 'Ein Weg hat noch keine Bedingung.',

  // read.ts
  ofTheStepCannot: (what, text) => `${what} des Schritts „${text}“ kann nicht gezeichnet werden.`,
  stepsIsNoList: '„steps“ ist keine Liste von Objekten.',
  triggersIsNoList: '„triggers“ ist keine Liste von Objekten.',
  someNamesInThisFlow: 'Manche Namen in diesem Ablauf haben andere Großbuchstaben als üblich.',
  metadataIsNoObject: '„metadata“ ist kein Objekt.',

  // types.ts
  start: 'Start',
  then: 'Dann',

  // under-id.ts
  newFlow: 'Neuer Ablauf',

  // until.ts
  howManyWentWell: 'Wie viele gut gingen',
  howManyFailed: 'Wie viele fehlschlugen',
  howManyThere: 'Wie viele es sind',
  whatTheyGave: 'Was sie ergaben',

  // reminders.ts
  after: (number, unit) => `Nach ${count(number, AFTER[unit])}`,
  andAgainEvery: (number, unit) =>
    `, und erneut ${number === 1 ? EVERY[unit] : `alle ${countUnits(number, unit)}`}, bis jemand antwortet`,
  nRules: (number) => count(number, { one: '# Regel', other: '# Regeln' }),

  // values.ts
  kindText: 'Text',
  kindNumber: 'Zahl',
  kindYesNo: 'Ja oder nein',
  kindFormula: 'Formel',
} satisfies Like<typeof English>;
