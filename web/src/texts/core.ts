/* texts/core.ts — waits for the texts that are on every page, before a module that has words in it is evaluated. Areas of single pages are
 * waited for by app/page-code.ts. English is never waited for. */
import { loadTexts } from './language';

await loadTexts(['app', 'ui', 'form', 'flow']);
