/* site.mjs — docs/ and contract/ become a folder of static pages.
 *
 *     node web/site/site.mjs ROOT OUT
 *
 * The pages need no server but for the search, which loads search.json. The binary has the same files at /docs/ (web/embed.mjs).
 * Same input, same bytes: sorted, undated. A link to a page or a heading that is not there ends the build. */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { apiPages } from './api.mjs';
import { errorPages, withWords } from './errors.mjs';
import { makeRenderer, pictureName, sectionsOf } from './markdown.mjs';
import { framed } from './page.mjs';

const HERE = import.meta.dirname ?? dirname(new URL(import.meta.url).pathname);
const PICTURE = /\.(webp|png|svg)$/;

function stop(sentence) {
  console.error(`site: ${sentence}`);
  process.exit(1);
}

const read = (...path) => readFileSync(join(...path), 'utf8');

/* Paths of all files below a folder, with "/" between their parts. */
function listFiles(folder, prefix = '') {
  return readdirSync(join(folder, prefix), { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory() ? listFiles(folder, `${prefix}${entry.name}/`) : [prefix + entry.name],
    )
    .sort();
}

/* ---- pages of docs/ ---- */

const titleOf = (text, name) =>
  text.match(/^# (.*)$/m)?.[1].replace(/[`*]/g, '') ?? stop(`${name}.md has no title`);

function docsPages(root, files) {
  const names = files.flatMap((file) => file.match(/^([\w-]+)\.md$/)?.[1] ?? []);
  const texts = names.map((name) => {
    const text = read(root, 'docs', `${name}.md`);
    return { name, title: titleOf(text, name), text };
  });
  const site = { pages: new Map(texts.map(({ name, title }) => [name, title])), files: new Set(files) };
  const render = makeRenderer(site);
  const pages = texts.map((page) => ({ ...page, sections: sectionsOf(page.text), ...render(page.text) }));
  return { pages, render };
}

/* README.md of docs/ is the first page; the tables below its heading "All pages" are the menu. */
function menuOf(index, pages) {
  const byName = new Map(pages.map((page) => [page.name, page]));
  const listed = new Set();
  const all =
    index.text.split(/^## /m).find((part) => part.startsWith('All pages')) ??
    stop('docs/README.md has no "All pages"');
  const groups = all
    .split(/^### /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')).trim(),
      pages: [...part.matchAll(/^\| \[[^\]]*\]\(([\w-]+)\.md\)/gm)].map(([, name]) => {
        listed.add(name);
        return byName.get(name) ?? stop(`docs/README.md names ${name}.md, which is not there`);
      }),
    }));
  const missing = pages.filter(({ name }) => name !== 'README' && !listed.has(name));
  if (missing.length) stop(`docs/README.md does not list ${missing.map(({ name }) => name).join(', ')}`);
  return groups;
}

/* ---- links ---- */

/* Beside the folder of the pages are the files of contract/ that an engine serves to everybody. */
const besideOf = (root) => [
  '../openapi.json',
  ...readdirSync(join(root, 'contract', 'schema')).map(
    (file) => `../schemas/${file.replace('.schema.json', '.json')}`,
  ),
];

function checkLinks(pages, files) {
  const anchors = new Map(
    pages.map(({ name, html }) => [name, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  for (const { name, html } of pages)
    for (const [, address] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^(https?:|mailto:)/.test(address)) continue;
      const [path, anchor] = address.split('#');
      const page = path === '' ? name : path.replace(/\.html$/, '');
      if (!anchors.has(page) && !files.has(path)) stop(`${name}: ${address} is not there`);
      if (anchor && !anchors.get(page)?.has(decodeURIComponent(anchor)))
        stop(`${name}: ${address} has no such heading`);
    }
}

/* ---- all of it ---- */

function makePages(root, files) {
  const contract = JSON.parse(read(root, 'contract', 'openapi.json'));
  const { pages: docs, render } = docsPages(root, files);
  const index = docs.find(({ name }) => name === 'README') ?? stop('docs/README.md is not there');
  const api = apiPages(contract);
  const told = docs.find(({ name }) => name === 'errors') ?? stop('docs/errors.md is not there');
  const errors = errorPages(told.text, render, docs);
  told.html = withWords(told.html, told.text);
  const groups = [...menuOf(index, docs), { title: 'API', pages: api }];
  const pages = [...docs, ...api, ...errors].map((page) =>
    page === index ? { ...page, name: 'index' } : page,
  );
  const relinked = pages.map((page) => ({
    ...page,
    html: page.html.replaceAll('href="README.html', 'href="index.html'),
  }));
  return { pages: relinked, groups };
}

const searchIndex = (pages) =>
  pages.flatMap(({ name, title, sections }) =>
    sections.map((section) => ({
      page: name,
      pageTitle: title,
      title: section.title,
      anchor: section.anchor,
      text: section.text,
    })),
  );

const [root, out] = process.argv.slice(2);
if (!root || !out) stop('usage: node web/site/site.mjs ROOT OUT');
const files = listFiles(join(root, 'docs'));
const pictures = files.filter((file) => PICTURE.test(file));
const { pages, groups } = makePages(root, files);
checkLinks(pages, new Set([...pictures.map(pictureName), ...besideOf(root)]));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const write = (name, text) => writeFileSync(join(out, name), text);
for (const page of pages) write(`${page.name}.html`, framed({ ...page, groups }));
write('search.json', JSON.stringify(searchIndex(pages)));
write('site.css', read(HERE, 'site.css'));
write('site.js', `${read(HERE, 'search.cjs')}\n${read(HERE, 'site.js')}`);
write('tokens.css', read(HERE, '../src/ui/tokens.css'));
write('mark.svg', read(HERE, '../src/ui/mark.svg'));
for (const picture of pictures) copyFileSync(join(root, 'docs', picture), join(out, pictureName(picture)));
console.log(`  site ${pages.length} pages`);
