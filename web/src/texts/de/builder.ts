/* texts/de/builder.ts — German: the texts of the builder. */
import { count, type Node, rich } from '../say';
import type { Like } from '../shape';
import type { builder as English } from '../en/builder';

export const builder = {
  // add-list.tsx
  addAStep: 'Schritt hinzufügen',
  findAStep: 'Schritt finden',
  whichStep: 'Welcher Schritt?',
  steps: 'Schritte',
  noStepIsCalledSo: 'So heißt kein Schritt.',

  // builder-bar.tsx
  canvas: 'Arbeitsfläche',
  outline: 'Gliederung',
  text: 'Text',
  flows: 'Abläufe',
  draft: 'Entwurf',
  draftOfV: (version) => `Entwurf von v${version}`,
  takeBackCtrlZ: 'Zurücknehmen (Strg Z)',
  doAgainCtrlShiftZ: 'Wiederherstellen (Strg Umschalt Z)',
  view: 'Ansicht',
  nProblems: (number) => count(number, { one: '# Problem', other: '# Probleme' }),
  test: 'Test',
  publish: (more) => `Veröffentlichen${more}`,
  v: (next) => ` v${next}`,
  problems: 'Probleme',

  // builder-page.tsx
  flow: 'Ablauf',
  theFlow: 'Der Ablauf',

  // canvas-data.ts
  stepOf: (more, total) => `Schritt ${more} von ${total}`,
  lineFromTo: (from, to) => `Linie von ${from} nach ${to}`,
  line: (more, at) => `${more}, Linie ${at}`,

  // canvas-line.tsx
  addAStepHereBehind: (source) => `Hier einen Schritt hinzufügen, hinter ${source}`,
  addAStepHere: 'Hier einen Schritt hinzufügen',

  // canvas-node.tsx
  addAStepInside: (label) => `Schritt innerhalb von ${label} hinzufügen`,
  addAStepInside2: 'Schritt innerhalb hinzufügen',

  // canvas.tsx
  sizeOfTheCanvas: 'Größe der Arbeitsfläche',
  further: 'Weiter weg',
  showAll: 'Alles zeigen',
  closer: 'Näher',
  tidyUp: 'Aufräumen',

  // chips.tsx
  isNoEMailAddress: (text) => `„${text}“ ist keine E-Mail-Adresse: Schreiben Sie etwa ann@example.org.`,
  remove: (more) => `${more} entfernen`,
  typeANamePressEnter: 'Name tippen, Eingabe drücken',
  add: 'Hinzufügen',
  insertAValueInto: (label) => `Wert einfügen in ${label}`,
  insertAValue: 'Wert eines früheren Schritts einfügen (Strg Leertaste)',

  // editor.tsx
  theBuilderWantsAWider: 'Der Editor braucht ein breiteres Fenster',
  turnThePhone:
    'Drehen Sie das Telefon, oder machen Sie das Fenster breiter. Was Sie getan haben, ist gespeichert.',
  allFlows: 'Alle Abläufe',
  noProblemFound: 'Kein Problem gefunden.',
  fromThePanelBack: 'Vom Bereich zurück zum Schritt',
  nextProblem: 'Nächstes Problem',
  nextPartOfThePage: 'Nächster Teil der Seite',
  partOfThePageBefore: 'Voriger Teil der Seite',
  takeBackCtrlShiftZ: 'Zurücknehmen; Strg Umschalt Z stellt wieder her',
  pasteSteps: 'Schritte einfügen',
  builder: 'Editor',
  thisView: 'diese Ansicht',
  changedTheText: 'Text geändert',
  thisPanel: 'dieser Bereich',
  somebodyElse: 'Jemand anderes',
  somebodyElseChanged: 'Jemand anderes hat diesen Ablauf geändert',
  whileYouDidNothing: (strong, differences) =>
    rich`${strong}, während Sie es taten. ${differences} Nichts von beidem geht verloren, bis Sie wählen.`,
  changedThisFlow: (who) => rich`${who} hat diesen Ablauf geändert`,
  takeTheirs: 'Andere Fassung nehmen',
  keepMine: 'Meine behalten',
  theTextHasAMistake: 'Der Text hat einen Fehler, deshalb nimmt diese Ansicht keine Änderungen an. ',
  showTheText: 'Text zeigen',
  theDraftCould: (why) => `Der Entwurf konnte nicht gespeichert werden: ${why}`,
  tryAgain: 'Erneut versuchen',

  // gallery-page.tsx
  newFlow: 'Neuer Ablauf',
  somebodyAsks: 'Jemand fragt',
  done: 'Fertig',
  begin: 'Beginn',
  hello: 'Hallo',
  whatYouPasted: 'Was Sie eingefügt haben',
  whatShouldHappen: 'Was soll geschehen?',
  takeWhatComesClosestYou:
    'Nehmen Sie, was am nächsten kommt. Sie ändern die Wörter, testen es in einer Minute und veröffentlichen, wenn es stimmt. Bis dahin läuft nichts.',
  theTemplates: 'Die Vorlagen',
  startFromScratch: 'Von vorn beginnen',
  withAStart: 'Mit Start und Ende schon darauf',
  forDevelopersOtherWays: 'Für Entwickler: andere Arten, einen Ablauf zu schreiben',
  jobsThatYourOwnWorkers:
    'Aufträge, die Ihre eigenen Worker übernehmen, Entscheidungen und Tabellen. Auch auf der Arbeitsfläche.',
  serverlessWorkflow: 'Serverless Workflow',
  theOpenStandardAsText: 'Der offene Standard, auf derselben Arbeitsfläche.',
  pictureOf: (name) => `Bild von ${name}`,
  nSteps: (number) => count(number, { one: '# Schritt', other: '# Schritte' }),
  nPeople: (number) => count(number, { one: '# Person', other: '# Personen' }),
  decides: 'entscheidet',
  sideBySide: 'nebeneinander',
  repeats: 'wiederholt',
  waitsForAnAnswer: 'wartet auf eine Antwort',
  noDraftWaitsForYou: 'Kein Entwurf wartet auf Sie.',
  goOnWithADraft: 'Mit einem Entwurf weitermachen',
  saved: (more, at) => `${more}, gespeichert ${at}`,
  dropAFileOrPaste: 'Datei ablegen oder Text einfügen',
  aFlowThatSomebodySaved: 'Ein Ablauf, den jemand gesichert hat',

  // kept-text.ts
  theFlowWasSavedAfter:
    ' Der Ablauf wurde gespeichert, nachdem dieser Text getippt wurde: Sehen Sie sich beides an, bevor Sie ihn berichtigen.',

  // line-popover.tsx
  whenToGoThisWay: 'Wann es hier entlang geht',
  goThisWayOtherwise: 'Sonst hier entlang',
  goThisWayWhen: 'Hier entlang, wenn',
  to: (more) => `nach ${more}`,
  wayBefore: 'Voriger Weg',
  of: (more, count) => `${more} von ${count}`,
  nextWay: 'Nächster Weg',
  close: 'Schließen',

  // other-view.tsx
  thisPicture: 'dieses Bild',
  theCanvasCanShow: 'Die Arbeitsfläche kann diesen Ablauf zeigen.',
  showTheCanvas: 'Arbeitsfläche zeigen',
  thereIsNoPicture: 'Es gibt noch kein Bild dieses Textes.',
  thePictureShowsTheText: 'Das Bild zeigt den Text, wie er vor dem Fehler war.',

  // outline-view.tsx
  outlineOfTheFlow: 'Gliederung des Ablaufs',
  stepOf2: (number, total, more) => `, Schritt ${number} von ${total}${more}`,
  then: 'dann',
  line2: 'Linie:',
  to2: (name) => `nach ${name}`,
  goesOn: (name) => `geht weiter bei ${name}`,
  addsAStepBehind: (press, press2, press3) =>
    rich`${press} fügt hinter dem gewählten einen Schritt hinzu, ${press2} öffnet ihn, ${press3} zeigt alle Tasten.`,

  // palette.tsx
  stepsThatCanBeAdded: 'Schritte, die hinzugefügt werden können',
  addAStep2: 'Schritt hinzufügen (A)',

  // part.tsx
  weMadeAMistake: (what) => `Uns ist ein Fehler unterlaufen: ${what}.`,
  yourFlowIsKept: (message) => `Ihr Ablauf ist gesichert. ${message}`,

  // problems.tsx
  problem: 'Problem',
  mustBeMended: 'Muss berichtigt werden',
  lookAt: 'Bitte ansehen',
  hints: {
    'draw a line for it, or mark one of the lines with "default": true': 'Wählen Sie, wohin sie führt.',
    'mark one of the lines with "default": true': 'Wählen Sie, wohin jede andere Antwort führt.',
    'mark one of its edges with "default": true': 'Wählen Sie, welcher Weg gilt, wenn nichts passt.',
  },
  chooseTheWay: 'Weg wählen',
  chooseWhereItLeads: 'Ziel wählen',
  anyOtherAnswerLeadsTo: (name) => `Jede andere Antwort führt zu „${name}“`,

  // publish-dialog.tsx
  versionIsPublished: (version) => `Version ${version} ist veröffentlicht.`,
  notYetSomethingMust: 'Noch nicht: Etwas muss berichtigt werden',
  publish2: (name) => `„${name}“ veröffentlichen`,
  backToTheFlow: 'Zurück zum Ablauf',
  notNow: 'Jetzt nicht',
  publishVersion: (version) => `Version ${version} veröffentlichen`,
  fromNowOnItCan: 'Von jetzt an kann er gestartet werden.',
  newRunsTakeThisVersion: 'Neue Läufe nehmen diese Version. Begonnene Läufe gehen mit ihrer weiter.',
  canWait: (count) => ` ${count} kann warten.`,

  // sample-input.ts
  sample: 'Beispiel',

  // store.ts
  theTextHasAMistake2: 'Der Text hat einen Fehler; berichtigen Sie ihn zuerst',
  ctrlZTakesItBack: (says) => `${says}. Strg Z nimmt es zurück.`,
  takenBack: (says) => `Zurückgenommen: ${says}`,
  doneAgain: (says) => `Wiederhergestellt: ${says}`,
  tookTheOtherVersion: 'Die andere Fassung genommen',

  // stores.ts
  aFlowIsAnObject: 'Ein Ablauf ist ein Objekt.',

  // text-view.tsx
  textOfTheFlow: 'Text des Ablaufs',

  // use-canvas-keys.ts
  nextStep: 'Nächster Schritt',
  stepBefore: 'Voriger Schritt',
  nextWayOrTheNext: 'Nächster Weg oder nächster Schritt',
  wayBeforeOrTheStep: 'Voriger Weg oder voriger Schritt',
  openTheStep: 'Schritt öffnen',
  addAStepBehind: 'Schritt hinter diesem hinzufügen',
  addAStepInside3: 'Schritt innerhalb einer Schleife hinzufügen',
  thisStepIsInNo: 'Dieser Schritt ist in keiner Schleife.',
  theLinesOfThisStep: 'Die Linien dieses Schritts; zuerst eine ohne Bedingung',
  noLineLeavesThisStep: 'Von diesem Schritt geht keine Linie aus.',
  connectThisStepToAnother: 'Diesen Schritt mit einem anderen verbinden',
  repeatThisStepForEach: 'Diesen Schritt für jedes Element einer Liste wiederholen',
  forEach: 'Für jedes',
  moveToTheRight: 'Nach rechts schieben',
  moveToTheLeft: 'Nach links schieben',
  moveDown: 'Nach unten schieben',
  moveUp: 'Nach oben schieben',
  copyAlsoToAnotherWindow: 'Kopieren, auch in ein anderes Fenster',
  nothingToCopy: 'Hier kann nichts kopiert werden.',
  copiedAStep: 'Einen Schritt kopiert',
  copiedSteps: (count) => `${count} Schritte kopiert`,
  theBrowserDoesNotLet: 'Der Browser lässt diese Seite nicht kopieren.',

  // gallery-page.tsx: files
  isNoJson: (name, message, line) => `${name} ist kein JSON: ${message} (Zeile ${line}).`,

  // use-canvas-keys.ts: delete
  deleteIt: 'Löschen',
  // flow-map.tsx, find-step.tsx, outline-view.tsx
  mapOfTheFlow: 'Karte des Ablaufs: drücken führt hin, Pfeile bewegen',
  noStepFound: 'Kein Schritt hat diese Worte',
  stepBefore2: 'Der davor',
  stepAfter: 'Der nächste',
  foldIt: 'Einklappen (-)',
  unfoldIt: 'Ausklappen (+)',
  foldAll: 'Alles einklappen',
  unfoldAll: 'Alles ausklappen',
  nHidden: (n: number) => `${n} verborgen`,
  nthOf: (at: number, total: number) => `${at} von ${total}`,
  // presence.tsx
  youElsewhere: 'Sie, auf einer anderen Seite',
  isHereToo: (names: string, people: number) =>
    people === 1 ? `${names} ist auch hier` : `${names} sind auch hier`,
  somebodyChanged: (who: Node, how: string) => rich`${who} hat diesen Ablauf eben geändert. ${how}`,
  takeBack: 'Zurücknehmen',
  fine: 'Gut',
} satisfies Like<typeof English>;
