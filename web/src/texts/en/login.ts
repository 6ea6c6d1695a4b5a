/* texts/en/login.ts — English: the texts of the login page. */
import { type Node, rich } from '../say';

export const login = {
  // first-admin.tsx
  theFirstAdmin: 'The first admin',
  youMayDoEverythingHere: 'You may do everything here. Others come in when you have made them a user.',
  name2: 'Name',
  password: 'Password',
  begin: 'Begin',

  // login-page.tsx
  signIn: 'Sign in',
  theLogin: 'The login',
  or: 'or',
  goOn: (more: Node) => rich`Go on with ${more}`,
  forgottenThePassword: (code: Node) =>
    rich`Forgotten the password? An admin can set another one, and whoever runs the engine with ${code}.`,
  nobodyIsHereYet: 'Nobody is here yet.',
  theEngineWroteALink:
    'The engine wrote a link for the first admin into its log and into a file that only its own user can read. Open that link. It works once, for an hour after the engine has started.',
  onlyProgramsWithAKey: 'Only programs with a key can come in: there is no user yet, and no provider.',
  whoeverRunsTheEngineMakes: 'Whoever runs the engine makes the first user in one of these ways:',
  onItsMachine: (code: Node) => rich`on its machine: ${code}`,
  startItWithAndOpen: (code: Node) =>
    rich`start it with ${code}, and open the link that it writes into its log`,
  namePeopleOrAProvider: (code: Node) => rich`name people or a provider in a file, and start it with ${code}`,
};
