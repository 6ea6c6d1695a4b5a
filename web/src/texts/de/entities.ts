/* texts/de/entities.ts — German: the texts of the pages of entities. */
import { count, rich } from '../say';
import type { Like } from '../shape';
import type { entities as English } from '../en/entities';

export const entities = {
  // audit-entries.ts
  itsDataAreThere: 'Ihre Daten sind da',
  itsDataChanged: 'Ihre Daten änderten sich',
  itIsDeleted: 'Sie ist gelöscht',

  // create-dialog.tsx
  create: (name) => `${name} anlegen`,
  theForm: 'Das Formular',
  created: 'Angelegt.',
  back: 'Zurück',
  create2: 'Anlegen',

  // entities-page.tsx
  noWorkflowOfItsOwn: 'Noch kein eigener Ablauf',
  changed: (time) => rich`geändert ${time}`,
  nEntities: (number) => count(number, { one: '# Entität', other: '# Entitäten' }),
  byState: 'Nach Zustand',
  and: (more) => `und ${more}`,
  nMoreStates: (number) => count(number, { one: '# weiterer Zustand', other: '# weitere Zustände' }),
  entities: 'Entitäten',
  thingsThatLiveThrough: 'Dinge, die Zustände durchlaufen, etwa Bestellungen und Verträge',
  theModels: 'Die Modelle',
  thereIsNoModelYet: 'Es gibt noch kein Modell',
  aModelSaysWhichFields: (code) =>
    rich`Ein Modell sagt, welche Felder seine Entitäten haben. Es entsteht aus einem Beispiel ihrer Daten, durch ${code}.`,
  theCounts: 'Die Zahlen',

  // entity-actions.tsx
  done: (transition) => `${transition}: erledigt.`,
  whatCanBeDone: 'Was möglich ist',
  whatCanBeDoneNow: 'Was jetzt möglich ist',
  byItselfWhenItFits: (list) => `Von selbst, wenn es passt: ${list}`,
  nothingLeadsOnFromHere: 'Von hier führt nichts weiter.',
  to: (name, next) => `${name}: nach ${next}`,

  // entity-data.tsx
  whatChanged: 'Was sich änderte',
  nothingInTheData: 'Nichts in den Daten',
  theDataOfThisVersion: 'Die Daten dieser Version',
  itHasNoData: 'Sie hat keine Daten.',
  data: 'Daten',
  nowVersion: (number) => `jetzt, Version ${number}`,
  asTheyWereVersion: (number, total) => `wie sie waren: Version ${number} von ${total}`,
  change: 'Ändern …',
  backToNow: 'Zurück zu jetzt',
  theDataAsThey: 'die Daten, wie sie jetzt sind',
  showData: 'Daten zeigen als',
  values: 'Werte',
  json: 'JSON',
  dataNow: 'Daten jetzt',
  dataAsTheyWere: 'Daten, wie sie waren',
  whatThisVersionChanged: 'Was diese Version änderte',
  itBegan: 'Sie begann mit',
  nothing: 'Nichts',

  // entity-filter.ts
  is: 'ist',
  isNot: 'ist nicht',
  contains: 'enthält',
  beginsWith: 'beginnt mit',
  isMoreThan: 'ist mehr als',
  isAtLeast: 'ist mindestens',
  isLessThan: 'ist weniger als',
  isAtMost: 'ist höchstens',
  isEmpty: 'ist leer',
  isFilled: 'ist ausgefüllt',

  // entity-list.tsx
  yes: 'ja',
  no: 'nein',
  name2: 'Name',
  state: 'Zustand',
  changed2: 'Geändert',
  theEntities: 'Die Entitäten',
  noEntityFits: 'Keine Entität passt',
  noneAmongThoseLooked: 'Keine unter den durchsuchten',
  theSearchCanGo: 'Die Suche kann mit älteren weitergehen.',
  takeAConditionAway: 'Nehmen Sie eine Bedingung weg, um mehr zu sehen.',
  entitiesAppearHereAsSoon: 'Entitäten erscheinen hier, sobald die erste angelegt ist.',
  shownNewestFirst: (count) => `${count} gezeigt, neueste zuerst`,
  newest: 'Neueste',
  next: 'Weiter',

  // entity-page.tsx
  thePicture: 'Das Bild',
  itIsHere: 'Sie ist hier',
  statesIt: (state) => `Zustände; sie ist in ${state}`,
  andTheWay: 'und der Weg, den sie nahm',
  itsModelHasNoWorkflow: 'Ihr Modell hat keinen eigenen Ablauf.',
  thisEntity: 'Diese Entität',
  created2: (time) => rich`angelegt ${time}`,
  theId: 'die ID',

  // entity-past.tsx
  versions: 'Versionen',
  audit: 'Protokoll',
  created3: 'Angelegt',
  deleted: 'Gelöscht',
  theEngineWhen: 'die Engine, als es fällig war',
  somebodyUnnamed: 'jemand ohne Namen',
  by: (who) => rich`von ${who}`,
  theAudit: 'Das Protokoll',
  nothingIsKnown: 'Von ihrer Vergangenheit ist nichts bekannt',
  earlier: 'Früher',
  itsPast: 'Ihre Vergangenheit',
  theVersions: 'Die Versionen',

  // fire-dialog.tsx
  oneMoment: 'Einen Moment',
  noWayLeadsBack: (next) => `Von ${next} führt kein Weg zurück.`,
  othersAreAskedToDo: 'Andere werden um ihren Teil gebeten, bevor sie weitergeht.',
  itLooksAtTheseData: 'Diese Daten werden geprüft; ändern Sie sie bei Bedarf.',
  changeTheData: 'Daten ändern',
  done2: (word) => `${word}: erledigt.`,
  save: 'Speichern',

  // lock-mark.tsx
  itsFieldsAreSettled: 'Seine Felder stehen fest, und Entitäten können angelegt werden.',
  itsFieldsMayStillChange:
    'Seine Felder können sich noch ändern. Es nimmt Entitäten an, wenn es gesperrt ist.',
  locked: 'Gesperrt',
  notLockedYet: 'Noch nicht gesperrt',

  // model-page.tsx
  here: (more) => `${more} hier`,
  statesAndHowManyEntities: 'Zustände und wie viele Entitäten in jedem sind',
  noEntityYetSoNo: 'Noch keine Entität, also kein Zustand',
  theFields: 'Die Felder',
  theModelMustBeLocked: 'Das Modell muss zuerst gesperrt werden',
  createOne: 'Anlegen …',
  thisModel: 'Dieses Modell',
  thereIsNoSuchModel: 'Dieses Modell gibt es nicht',
  itsNameAndVersion: 'Sein Name und seine Version stehen in der Adresse dieser Seite.',
  states: 'Zustände',
  chooseOneToSeeWho: 'wählen Sie einen, um zu sehen, wer darin ist',

  // refusal.ts
  somebodyElseChanged:
    'Jemand anderes hat sie inzwischen geändert. Sie sehen den jetzigen Stand: Prüfen Sie noch einmal.',

  // where-bar.tsx
  remove: (says) => `Entfernen: ${says}`,
  searchByAField: 'Nach einem Feld suchen',
  field: 'Feld',
  is2: 'Ist',
  value: 'Wert',
  search: 'Suchen',
  doNotSearch: 'Nicht suchen',
  inState: (state) => `im Zustand ${state}`,
  stateIs: 'Zustand ist',
} satisfies Like<typeof English>;
