/* embed.mjs — dist/ becomes a table of C and an assembler file, which the Makefile compiles into the binary.
 *
 *     node web/embed.mjs DIST OUT [SITE]
 *
 * OUT/assets.c has a row per file, OUT/bytes.s the bytes: each file as it is and, where that is shorter, as gzip and
 * brotli, so that the engine compresses nothing. SITE is the documentation (web/site): its files come below docs/, and
 * are there in their shortest form alone, because they are many and seldom asked for.
 *
 * Same input, same bytes: sorted, undated. Needs Node alone.
 *
 * It also holds the budgets: what a page loads before it can be used, from Vite's manifest. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/* The weight that a page may have, in bytes of gzip: the entry, the chunk of the page, and all that both import. Home has to come over a line of
 * 400 kbit/s within three seconds. */
const BUDGETS = [
  { name: 'shell and home', page: 'home-page', bytesMax: 135_000 },
  { name: 'builder', page: 'builder-page', bytesMax: 300_000 },
];

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/* Vite puts a hash of the content into names below assets/. A file of such a name never changes. */
const HASHED = /^assets\/.+-[\w-]{8}\.\w+$/;

function stop(sentence) {
  console.error(`embed: ${sentence}`);
  process.exit(1);
}

/* Paths below the folder. Hidden files (the manifest) and source maps stay outside. */
function listFiles(folder, prefix = '') {
  return readdirSync(join(folder, prefix), { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.') && !entry.name.endsWith('.map'))
    .flatMap((entry) =>
      entry.isDirectory() ? listFiles(folder, `${prefix}${entry.name}/`) : [prefix + entry.name],
    );
}

const gzip = (bytes) => gzipSync(bytes, { level: 9 });

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });

/* A compressed form is worth its place if it saves more than the header that tells of it. */
const shorter = (packed, raw) => (packed.length + 64 < raw.length ? packed : null);

function readAsset(folder, path, below = '') {
  const type = TYPES[extname(path)] ?? stop(`${path}: embed.mjs has no media type for "${extname(path)}"`);
  if (/[^\w./-]/.test(path)) stop(`${path}: only letters, digits, "_", ".", "/" and "-" may be in a name`);
  const raw = readFileSync(join(folder, path));
  return {
    path: below + path,
    type,
    etag: createHash('sha256').update(raw).digest('hex').slice(0, 20),
    isImmutable: HASHED.test(path),
    raw,
    gzip: shorter(gzip(raw), raw),
  };
}

/* ---- the budgets ---- */

/* Adds what is loaded together with an item of the manifest: its file, its styles and what it imports. */
function collect(manifest, key, files) {
  const item = manifest[key];
  if (!item || files.has(item.file)) return;
  files.add(item.file);
  for (const style of item.css ?? []) files.add(style);
  for (const imported of item.imports ?? []) collect(manifest, imported, files);
}

/* Only the routes of the entry are pages. A chunk that a page itself loads later is not part of its first view. */
function filesOfPage(manifest, page) {
  const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
  if (!entry) stop('the manifest has no entry');
  const files = new Set();
  collect(manifest, entry, files);
  const loaded = Object.keys(manifest).filter((key) => files.has(manifest[key].file));
  const routes = loaded.flatMap((key) => manifest[key].dynamicImports ?? []);
  const own = routes.find((key) => manifest[key].name === page);
  if (!own) stop(`the manifest has no ${page}`);
  collect(manifest, own, files);
  return files;
}

function checkBudgets(folder, assets) {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8'));
  const sizeOf = new Map(assets.map((asset) => [asset.path, (asset.gzip ?? asset.raw).length]));
  for (const { name, page, bytesMax } of BUDGETS) {
    let bytes = 0;
    for (const file of filesOfPage(manifest, page))
      bytes += sizeOf.get(file) ?? stop(`${file} is not in ${folder}`);
    if (bytes > bytesMax) stop(`${name} has ${bytes} bytes of gzip; the budget is ${bytesMax}`);
    console.log(`  ui ${name}: ${(bytes / 1000).toFixed(1)} of ${bytesMax / 1000} kB gzip`);
  }
}

/* ---- the output ---- */

/* Global, because a reference to a local label through the offset table loses its offset on some machines. */
const incbin = (symbol, file) => `.global ${symbol}\n.hidden ${symbol}\n${symbol}:\n.incbin "${file}"\n`;

function writeTable(assets, out) {
  const lines = { code: [], bytes: ['.section .rodata\n'] };
  const rows = assets.map((asset, number) => {
    const fields = ['raw', 'gzip', 'br'].flatMap((form) => {
      if (!asset[form]) return [];
      const symbol = `ui_asset_${number}_${form}`;
      const file = `${out}/${number}.${form}`;
      writeFileSync(file, asset[form]);
      lines.code.push(`extern const char ${symbol}[] __attribute__((visibility("hidden")));\n`);
      lines.bytes.push(incbin(symbol, file));
      return [`.${form} = { ${symbol}, ${asset[form].length} }`];
    });
    return (
      `    { .path = STR_INIT("${asset.path}"), .type = STR_INIT("${asset.type}"), .etag = STR_INIT("${asset.etag}"), ` +
      `.immutable = ${asset.isImmutable}, ${fields.join(', ')} },\n`
    );
  });
  lines.bytes.push('.section .note.GNU-stack,"",%progbits\n');
  writeFileSync(`${out}/bytes.s`, lines.bytes.join(''));
  writeFileSync(
    `${out}/assets.c`,
    '/* Made by web/embed.mjs. */\n#include "api/ui/assets_int.h"\n\n' +
      lines.code.join('') +
      `\nstatic const struct ui_asset assets[] = {\n${rows.join('')}};\n\n` +
      'const struct ui_assets ui_assets = { assets, COUNT(assets) };\n',
  );
}

const [dist, out, site] = process.argv.slice(2);
if (!dist || !out) stop('usage: node web/embed.mjs DIST OUT [SITE]');
const assets = listFiles(dist)
  .sort()
  .map((path) => readAsset(dist, path));
if (!assets.some((asset) => asset.path === 'index.html')) stop(`${dist} has no index.html`);
checkBudgets(dist, assets);
for (const asset of assets) asset.br = shorter(brotli(asset.raw), asset.raw);
const pages = (site ? listFiles(site) : []).sort().map((path) => readAsset(site, path, 'docs/'));
for (const page of pages) if (page.gzip) page.raw = null;
assets.push(...pages);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
writeTable(assets, out);
