/* texts/en/docs.ts — English: the texts of the help pages. */
import { count, type Node, rich } from '../say';

export const docs = {
  // api-page.tsx
  theLineForCurl: 'the line for curl',
  asCurl: 'As curl',
  itTakes: 'It takes',
  needed: 'needed',
  whatIsSent: 'What is sent',
  itAnswers: 'It answers',
  answer: (status: string) => `Answer ${status}`,
  theApi: 'The API',
  help: 'Help',
  wordsOfAPath: 'Words of a path or a summary',
  findOperations: 'Find operations',
  nOperations: (number: number) => count(number, { one: '# operation', other: '# operations' }),
  theDescriptionOfTheApi: 'The description of the API',
  noOperationHasTheseWords: 'No operation has these words',

  // docs-page.tsx
  pages: 'Pages',
  whatEachPage: 'What each page is for',
  keys: 'Keys',
  keysThatWorkEverywhere: 'Keys that work everywhere',
  forPrograms: 'For programs',
  everythingThatThesePages: (link: Node, press: Node) =>
    rich`Everything that these pages show and do is in ${link}, with an example and a line for curl for each operation. ${press} on any page shows what that page asked the engine for.`,
  theApi2: 'the API',
};
