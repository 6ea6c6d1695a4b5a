/* texts/de/form.ts — German: the texts of forms. */
import { count } from '../say';
import type { Like } from '../shape';
import type { form as English } from '../en/form';

export const form = {
  // controls.tsx
  yes: 'ja',
  no: 'nein',
  yes2: 'Ja',
  no2: 'Nein',
  choose: 'Bitte wählen …',
  none: 'Keine',
  clear: 'Leeren',
  asJson: 'Als JSON',

  // fields.ts
  atMostNow: (maxLength, length) => `Höchstens ${maxLength}, jetzt ${length}`,
  nCharacters: (number) => count(number, { one: '# Zeichen', other: '# Zeichen' }),
  atLeast: (minLength) => `Mindestens ${minLength}`,
  writeAnEMailAddress: 'Geben Sie eine E-Mail-Adresse ein, etwa ada@example.org',
  writeAnAddressSuch: 'Geben Sie eine Adresse ein, etwa https://example.org',
  onlyWholeNumbers: 'Nur ganze Zahlen',
  atLeast2: (least) => `Mindestens ${least}`,
  atMost: (most) => `Höchstens ${most}`,
  moreThan: (above) => `Mehr als ${above}`,
  lessThan: (below) => `Weniger als ${below}`,
  writeANumberSuch: 'Geben Sie eine Zahl ein, etwa 1250.50',
  chooseAtLeast: (least) => `Wählen Sie mindestens ${least}`,
  chooseAtMost: (most) => `Wählen Sie höchstens ${most}`,
  thisIsNotJsonTexts: 'Das ist kein JSON: Texte brauchen "Anführungszeichen", Einträge ein Komma dazwischen',
  chooseOne: 'Wählen Sie eins',
  fillThis: 'Bitte ausfüllen',

  // form-fields.tsx
  canStayEmpty: 'kann leer bleiben',
  field: (more) => `Feld ${more}`,
  entry: 'Eintrag',
  remove: (title, more) => `${title} ${more} entfernen`,
  add: 'Hinzufügen',

  // schema.ts
  empty: 'Leer',
  nothing: 'Nichts',
} satisfies Like<typeof English>;
