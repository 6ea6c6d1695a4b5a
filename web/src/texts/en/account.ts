/* texts/en/account.ts — English: the texts of the account page. */
import { type Node, rich } from '../say';

export const account = {
  // account-page.tsx
  yourAccount: 'Your account',
  nobodyHasToSign: 'Nobody has to sign in here',
  whoeverReachesThisEngine:
    'Whoever reaches this engine may do everything: it listens on this machine alone, and has no users, no keys and no provider. The names that people say are believed.',
  fromTheFirstUser: 'From the first user on, everybody has to sign in.',
  makeTheFirstUser: 'Make the first user',
  aUser: 'a user',
  aProgramWithAKey: 'a program with a key',
  theBearerOfAToken: 'the bearer of a token',
  aCallerFromATrusted: 'a caller from a trusted network',
  aCallerWithATrusted: 'a caller with a trusted certificate',
  nobody: 'nobody',
  signedIn: (name: Node) => rich`Signed in as ${name}`,
  signOut: 'Sign out',
  knownAs: 'Known as',
  tenant: 'Tenant',
  rolesHere: 'Roles here',
  groups: 'Groups',
  yourSessions: 'Your sessions',
  theSessionIsOver: 'The session is over.',
  browser: 'Browser',
  from: 'From',
  begun: 'Begun',
  lastUsed: 'Last used',
  thisOne: 'This one',
  endIt: 'End it',
  endWhatYouDo: 'end what you do not know',
  thisOne2: ', this one',

  // browser-words.ts
  unknown: 'Unknown',
  on: (browser: string, system: string) => `${browser} on ${system}`,

  // change-password.tsx
  thePasswordIsChangedYour: 'The password is changed. Your other sessions are over.',
  changeThePassword: 'Change the password',
  thePasswordNow: 'The password now',
  theNewOne: 'The new one',
  changeIt: 'Change it',

  // account-page.tsx
  none: 'none',
  language: 'Language',
  asTheBrowserSays: (name: string) => `As the browser says: ${name}`,
  languageSays: 'Texts of the engine itself (reasons, findings, errors) are in English.',
  timeZone: 'Time zone',
  languageAndTime: 'Language and time',
  zoneSays: 'It is the browser’s: every time on these pages is in it, unless another zone stands beside it.',
};
