/* texts/de/account.ts — German: the texts of the account page. */
import { rich } from '../say';
import type { Like } from '../shape';
import type { account as English } from '../en/account';

export const account = {
  // account-page.tsx
  yourAccount: 'Ihr Konto',
  nobodyHasToSign: 'Hier muss sich niemand anmelden',
  whoeverReachesThisEngine:
    'Wer diese Engine erreicht, darf alles: Sie ist nur auf diesem Rechner erreichbar und hat keine Benutzer, keine Schlüssel und keinen Anmeldedienst. Angegebene Namen werden geglaubt.',
  fromTheFirstUser: 'Ab dem ersten Benutzer müssen sich alle anmelden.',
  makeTheFirstUser: 'Ersten Benutzer anlegen',
  aUser: 'ein Benutzer',
  aProgramWithAKey: 'ein Programm mit einem Schlüssel',
  theBearerOfAToken: 'der Inhaber eines Tokens',
  aCallerFromATrusted: 'ein Aufrufer aus einem vertrauten Netz',
  aCallerWithATrusted: 'ein Aufrufer mit einem vertrauten Zertifikat',
  nobody: 'niemand',
  signedIn: (name) => rich`Angemeldet als ${name}`,
  signOut: 'Abmelden',
  knownAs: 'Bekannt als',
  tenant: 'Mandant',
  rolesHere: 'Rollen hier',
  groups: 'Gruppen',
  yourSessions: 'Ihre Sitzungen',
  theSessionIsOver: 'Die Sitzung ist beendet.',
  browser: 'Browser',
  from: 'Von',
  begun: 'Begonnen',
  lastUsed: 'Zuletzt benutzt',
  thisOne: 'Diese hier',
  endIt: 'Beenden',
  endWhatYouDo: 'beenden Sie, was Sie nicht kennen',
  thisOne2: ', diese hier',

  // browser-words.ts
  unknown: 'Unbekannt',
  on: (browser, system) => `${browser} auf ${system}`,

  // change-password.tsx
  thePasswordIsChangedYour: 'Das Passwort ist geändert. Ihre anderen Sitzungen sind beendet.',
  changeThePassword: 'Passwort ändern',
  thePasswordNow: 'Jetziges Passwort',
  theNewOne: 'Neues Passwort',
  changeIt: 'Ändern',

  // account-page.tsx
  none: 'keine',
  language: 'Sprache',
  asTheBrowserSays: (name) => `Wie im Browser: ${name}`,
  languageSays: 'Texte der Engine selbst (Gründe, Hinweise, Fehler) sind auf Englisch.',
  timeZone: 'Zeitzone',
  languageAndTime: 'Sprache und Zeit',
  zoneSays:
    'Es ist die des Browsers: Jede Zeit auf diesen Seiten gilt in ihr, außer wenn eine andere daneben steht.',
} satisfies Like<typeof English>;
