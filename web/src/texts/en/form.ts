/* texts/en/form.ts — English: the texts of forms. */
import { count } from '../say';

export const form = {
  // controls.tsx
  yes: 'yes',
  no: 'no',
  yes2: 'Yes',
  no2: 'No',
  choose: 'Choose…',
  none: 'None',
  clear: 'Clear',
  asJson: 'As JSON',

  // fields.ts
  atMostNow: (maxLength: string, length: number) => `At most ${maxLength}, now ${length}`,
  nCharacters: (number: number) => count(number, { one: '# character', other: '# characters' }),
  atLeast: (minLength: string) => `At least ${minLength}`,
  writeAnEMailAddress: 'Write an e-mail address, such as ada@example.org',
  writeAnAddressSuch: 'Write an address, such as https://example.org',
  onlyWholeNumbers: 'Only whole numbers',
  atLeast2: (least: number) => `At least ${least}`,
  atMost: (most: number) => `At most ${most}`,
  moreThan: (above: number) => `More than ${above}`,
  lessThan: (below: number) => `Less than ${below}`,
  writeANumberSuch: 'Write a number, such as 1250.50',
  chooseAtLeast: (least: number) => `Choose at least ${least}`,
  chooseAtMost: (most: number) => `Choose at most ${most}`,
  thisIsNotJsonTexts: 'This is not JSON: texts need "quotes", members a comma between them',
  chooseOne: 'Choose one',
  fillThis: 'Fill this in',

  // form-fields.tsx
  canStayEmpty: 'can stay empty',
  field: (more: string) => `field ${more}`,
  entry: 'Entry',
  remove: (title: string, more: number) => `Remove ${title} ${more}`,
  add: 'Add',

  // schema.ts
  empty: 'Empty',
  nothing: 'Nothing',
};
