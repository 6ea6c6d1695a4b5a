/* texts/de/docs.ts — German: the texts of the help pages. */
import { count, rich } from '../say';
import type { Like } from '../shape';
import type { docs as English } from '../en/docs';

export const docs = {
  // api-page.tsx
  theLineForCurl: 'die Zeile für curl',
  asCurl: 'Als curl',
  itTakes: 'Erwartet',
  needed: 'nötig',
  whatIsSent: 'Was gesendet wird',
  itAnswers: 'Antwortet',
  answer: (status) => `Antwort ${status}`,
  theApi: 'Die API',
  help: 'Hilfe',
  wordsOfAPath: 'Wörter eines Pfads oder einer Zusammenfassung',
  findOperations: 'Operationen finden',
  nOperations: (number) => count(number, { one: '# Operation', other: '# Operationen' }),
  theDescriptionOfTheApi: 'Die Beschreibung der API',
  noOperationHasTheseWords: 'Keine Operation hat diese Wörter',

  // docs-page.tsx
  pages: 'Seiten',
  whatEachPage: 'Wozu jede Seite da ist',
  keys: 'Tasten',
  keysThatWorkEverywhere: 'Tasten, die überall gelten',
  forPrograms: 'Für Programme',
  everythingThatThesePages: (link, press) =>
    rich`Alles, was diese Seiten zeigen und tun, steht in ${link}, mit einem Beispiel und einer Zeile für curl zu jeder Operation. ${press} auf jeder Seite zeigt, was diese Seite die Engine gefragt hat.`,
  theApi2: 'der API',
} satisfies Like<typeof English>;
