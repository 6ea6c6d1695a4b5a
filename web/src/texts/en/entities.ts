/* texts/en/entities.ts — English: the texts of the pages of entities. */
import { count, type Node, rich } from '../say';

export const entities = {
  // audit-entries.ts
  itsDataAreThere: 'Its data are there',
  itsDataChanged: 'Its data changed',
  itIsDeleted: 'It is deleted',

  // create-dialog.tsx
  create: (name: string) => `Create ${name}`,
  theForm: 'The form',
  created: 'Created.',
  back: 'Back',
  create2: 'Create',

  // entities-page.tsx
  noWorkflowOfItsOwn: 'No workflow of its own yet',
  changed: (time: Node) => rich`changed ${time}`,
  nEntities: (number: number) => count(number, { one: '# entity', other: '# entities' }),
  byState: 'By state',
  and: (more: string) => `and ${more}`,
  nMoreStates: (number: number) => count(number, { one: '# more state', other: '# more states' }),
  entities: 'Entities',
  thingsThatLiveThrough: 'things that live through states, such as orders and contracts',
  theModels: 'The models',
  thereIsNoModelYet: 'There is no model yet',
  aModelSaysWhichFields: (code: Node) =>
    rich`A model says which fields its entities have. It is made from a sample of their data, by ${code}.`,
  theCounts: 'The counts',

  // entity-actions.tsx
  done: (transition: string) => `${transition}: done.`,
  whatCanBeDone: 'What can be done',
  whatCanBeDoneNow: 'What can be done now',
  byItselfWhenItFits: (list: string) => `By itself when it fits: ${list}`,
  nothingLeadsOnFromHere: 'Nothing leads on from here.',
  to: (name: string, next: string) => `${name}: to ${next}`,

  // entity-data.tsx
  whatChanged: 'What changed',
  nothingInTheData: 'Nothing in the data',
  theDataOfThisVersion: 'The data of this version',
  itHasNoData: 'It has no data.',
  data: 'Data',
  nowVersion: (number: number) => `now, version ${number}`,
  asTheyWereVersion: (number: number, total: number) => `as they were: version ${number} of ${total}`,
  change: 'Change…',
  backToNow: 'Back to now',
  theDataAsThey: 'the data as they are now',
  showData: 'Show data as',
  values: 'Values',
  json: 'JSON',
  dataNow: 'Data now',
  dataAsTheyWere: 'Data as they were',
  whatThisVersionChanged: 'What this version changed',
  itBegan: 'It began with',
  nothing: 'Nothing',

  // entity-filter.ts
  is: 'is',
  isNot: 'is not',
  contains: 'contains',
  beginsWith: 'begins with',
  isMoreThan: 'is more than',
  isAtLeast: 'is at least',
  isLessThan: 'is less than',
  isAtMost: 'is at most',
  isEmpty: 'is empty',
  isFilled: 'is filled in',

  // entity-list.tsx
  yes: 'yes',
  no: 'no',
  name2: 'Name',
  state: 'State',
  changed2: 'Changed',
  theEntities: 'The entities',
  noEntityFits: 'No entity fits',
  noneAmongThoseLooked: 'None among those looked at',
  theSearchCanGo: 'The search can go on with older ones.',
  takeAConditionAway: 'Take a condition away to see more.',
  entitiesAppearHereAsSoon: 'Entities appear here as soon as the first one is created.',
  shownNewestFirst: (count: string) => `${count} shown, newest first`,
  newest: 'Newest',
  next: 'Next',

  // entity-page.tsx
  thePicture: 'The picture',
  itIsHere: 'It is here',
  statesIt: (state: string) => `States; it is in ${state}`,
  andTheWay: 'and the way that it took',
  itsModelHasNoWorkflow: 'Its model has no workflow of its own.',
  thisEntity: 'This entity',
  created2: (time: Node) => rich`created ${time}`,
  theId: 'the id',

  // entity-past.tsx
  versions: 'Versions',
  audit: 'Audit',
  created3: 'Created',
  deleted: 'Deleted',
  theEngineWhen: 'the engine, when it was due',
  somebodyUnnamed: 'somebody unnamed',
  by: (who: Node) => rich`by ${who}`,
  theAudit: 'The audit',
  nothingIsKnown: 'Nothing is known of its past',
  earlier: 'Earlier',
  itsPast: 'Its past',
  theVersions: 'The versions',

  // fire-dialog.tsx
  oneMoment: 'One moment',
  noWayLeadsBack: (next: string) => `No way leads back from ${next}.`,
  othersAreAskedToDo: 'Others are asked to do their part before it moves on.',
  itLooksAtTheseData: 'It looks at these data; change them if need be.',
  changeTheData: 'Change the data',
  done2: (word: string) => `${word}: done.`,
  save: 'Save',

  // lock-mark.tsx
  itsFieldsAreSettled: 'Its fields are settled, and entities can be created.',
  itsFieldsMayStillChange: 'Its fields may still change. It takes entities when it is locked.',
  locked: 'Locked',
  notLockedYet: 'Not locked yet',

  // model-page.tsx
  here: (more: string) => `${more} here`,
  statesAndHowManyEntities: 'States and how many entities are in each',
  noEntityYetSoNo: 'No entity yet, so no state',
  theFields: 'The fields',
  theModelMustBeLocked: 'The model must be locked first',
  createOne: 'Create one…',
  thisModel: 'This model',
  thereIsNoSuchModel: 'There is no such model',
  itsNameAndVersion: 'Its name and version are in the address of this page.',
  states: 'States',
  chooseOneToSeeWho: 'choose one to see who is in it',

  // refusal.ts
  somebodyElseChanged: 'Somebody else changed it meanwhile. You see it as it is now: look again.',

  // where-bar.tsx
  remove: (says: string) => `Remove: ${says}`,
  searchByAField: 'Search by a field',
  field: 'Field',
  is2: 'Is',
  value: 'Value',
  search: 'Search',
  doNotSearch: 'Do not search',
  inState: (state: string) => `in state ${state}`,
  stateIs: 'State is',
};
