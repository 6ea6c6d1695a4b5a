/* page.mjs — the frame of each page: search, list of pages, headings of this one. */

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => ESCAPES[sign]);

/** A sentence in which `words` are code. */
export const sentence = (text) => escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');

function menu(groups, current) {
  const item = ({ name, title }) =>
    `<li><a href="${name}.html"${name === current ? ' aria-current="page"' : ''}>${escape(title)}</a></li>`;
  return groups
    .map(({ title, pages }) => `<h2>${escape(title)}</h2>\n<ul>${pages.map(item).join('')}</ul>`)
    .join('\n');
}

function contents(headings) {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '';
  const item = ({ level, title, anchor }) =>
    `<li class="level-${level}"><a href="#${escape(anchor)}">${escape(title)}</a></li>`;
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2>
<ul>${shown.map(item).join('')}</ul></nav>`;
}

/** A whole page. */
export function framed({ title, html, headings, groups, name }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · Pawl</title>
<link rel="icon" href="mark.svg">
<link rel="stylesheet" href="tokens.css">
<link rel="stylesheet" href="site.css">
<script src="site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header>
<a class="name" href="index.html"><img src="mark.svg" alt="" width="22" height="22">Pawl</a>
<form role="search" id="search"><input type="search" id="query" name="q" placeholder="Search" aria-label="Search the documentation"
 autocomplete="off" aria-controls="found"><div id="found" role="region" aria-live="polite" aria-label="Results" hidden></div></form>
<button type="button" id="theme" hidden>Theme</button>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages"><details open><summary>Pages</summary>
${menu(groups, name)}
</details></nav>
<main id="content">
${html}
</main>
${contents(headings)}
</div>
</body>
</html>
`;
}
