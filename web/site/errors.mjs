/* errors.mjs — a page for each word of an error, from the tables of the documentation.
 *
 * A word is the first cell of a row of errors.md: `bad-request`, `DECISION_NOT_WIRED`. Its page says what the row says, and which
 * sections of other pages have the word. */
import { escape } from './page.mjs';

const cellsOf = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

const WORD = /^`([A-Za-z][\w-]*)`$/;

/** [{ word, section, cells: [[head, text], …] }] of the tables of a page. */
export function wordsOf(text) {
  const found = [];
  let section = '';
  let heads = null;
  for (const line of text.split('\n')) {
    const heading = line.match(/^#{1,6} (.*)$/);
    if (heading) section = heading[1].replace(/[`*]/g, '');
    if (!line.startsWith('|')) heads = null;
    else if (heads === null) heads = cellsOf(line);
    else if (!/^\|[\s:|-]+\|?$/.test(line)) {
      const cells = cellsOf(line);
      const word = cells.map((cell) => cell.match(WORD)?.[1]).find(Boolean);
      if (word) found.push({ word, section, cells: heads.map((head, i) => [head, cells[i] ?? '']) });
    }
  }
  return found;
}

/* One page for each word, however many rows have it. Names of files do not tell capitals from small letters everywhere. */
function grouped(rows) {
  const words = new Map();
  for (const row of rows) words.set(row.word, [...(words.get(row.word) ?? []), row]);
  return words;
}

function mentionsOf(word, pages) {
  const whole = new RegExp(`(?<![\\w-])${word}(?![\\w-])`);
  return pages.flatMap((page) =>
    page.name === 'errors'
      ? []
      : page.sections
          .filter(({ text }) => whole.test(text))
          .map(({ title, anchor }) => ({ page, title, anchor })),
  );
}

/** The page of all errors, with a way from each word to its own page. */
export const withWords = (html, text) =>
  [...grouped(wordsOf(text)).keys()].reduce(
    (at, word) =>
      at.replaceAll(
        `<td><code>${word}</code></td>`,
        `<td><a href="error-${word}.html"><code>${word}</code></a></td>`,
      ),
    html,
  );

export function errorPages(text, render, pages) {
  return [...grouped(wordsOf(text))].map(([word, rows]) => {
    const tables = rows.map(({ section, cells }) => {
      const about = cells.map(([head, cell]) => `| ${head} | ${cell} |`).join('\n');
      return `<h2>${escape(section)}</h2>${render(`| | |\n|---|---|\n${about}\n`).html}`;
    });
    const mentions = mentionsOf(word, pages).map(
      ({ page, title, anchor }) =>
        `<li><a href="${page.name}.html#${escape(anchor)}">${escape(page.title)}: ${escape(title)}</a></li>`,
    );
    return {
      name: `error-${word}`,
      title: word,
      html: `<h1><code>${escape(word)}</code></h1>${tables.join('\n').replaceAll('href="#', 'href="errors.html#')}
${mentions.length ? `<h2>Read more</h2><ul>${mentions.join('')}</ul>` : ''}
<p><a href="errors.html">All errors</a></p>`,
      headings: [],
      sections: [
        {
          title: word,
          anchor: '',
          text: rows
            .flatMap(({ cells }) => cells.map(([, cell]) => cell))
            .join(' ')
            .replace(/[`|]/g, ' '),
        },
      ],
    };
  });
}
