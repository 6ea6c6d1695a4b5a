/* texts/de/login.ts — German: the texts of the login page. */
import { rich } from '../say';
import type { Like } from '../shape';
import type { login as English } from '../en/login';

export const login = {
  // first-admin.tsx
  theFirstAdmin: 'Der erste Admin',
  youMayDoEverythingHere:
    'Sie dürfen hier alles. Andere kommen herein, sobald Sie sie als Benutzer angelegt haben.',
  name2: 'Name',
  password: 'Passwort',
  begin: 'Beginnen',

  // login-page.tsx
  signIn: 'Anmelden',
  theLogin: 'Die Anmeldung',
  or: 'oder',
  goOn: (more) => rich`Weiter mit ${more}`,
  forgottenThePassword: (code) =>
    rich`Passwort vergessen? Ein Admin kann ein neues setzen, ebenso wer die Engine betreibt, mit ${code}.`,
  nobodyIsHereYet: 'Hier ist noch niemand.',
  theEngineWroteALink:
    'Die Engine hat einen Link für den ersten Admin in ihr Log geschrieben und in eine Datei, die nur ihr eigener Benutzer lesen kann. Öffnen Sie diesen Link. Er gilt einmal, für eine Stunde nach dem Start der Engine.',
  onlyProgramsWithAKey:
    'Nur Programme mit einem Schlüssel kommen herein: Es gibt noch keinen Benutzer und keinen Anmeldedienst.',
  whoeverRunsTheEngineMakes: 'Wer die Engine betreibt, legt den ersten Benutzer so an:',
  onItsMachine: (code) => rich`auf ihrem Rechner: ${code}`,
  startItWithAndOpen: (code) =>
    rich`sie mit ${code} starten und den Link öffnen, den sie in ihr Log schreibt`,
  namePeopleOrAProvider: (code) =>
    rich`Personen oder einen Anmeldedienst in einer Datei nennen und sie mit ${code} starten`,
} satisfies Like<typeof English>;
