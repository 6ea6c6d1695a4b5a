/* markdown.mjs — a page of docs/ becomes HTML, with anchors as forges make them and links to pages of the site. */
import MarkdownIt from 'markdown-it';

const words = (text) => text.replace(/[`*]/g, '');

/** The anchor of a heading: forges make the same one, so links in the pages fit both. */
export function anchorOf(title, used) {
  const plain = words(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  const count = used.get(plain) ?? 0;
  used.set(plain, count + 1);
  return count === 0 ? plain : `${plain}-${count}`;
}

/** All files of the site are in one folder, whatever folder of docs/ a picture is in. */
export const pictureName = (path) => path.split('/').at(-1);

/* A link to another page or a picture of docs/ stays one; where it shows the name of a file, it shows the page's title.
 * A file of the source is not part of the site: its path is shown. */
function addressOf(href, site) {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
  const [path, anchor] = href.split('#');
  const page = path.match(/^([\w-]+)\.md$/);
  if (page && site.pages.has(page[1])) return `${page[1]}.html${anchor ? `#${anchor}` : ''}`;
  const schema = path.match(/^\.\.\/contract\/schema\/([\w-]+)\.schema\.json$/);
  if (schema) return `../schemas/${schema[1]}.json`;
  if (path === '../contract/openapi.json') return '../openapi.json';
  return site.files.has(path) ? pictureName(path) : null;
}

function takeAnchors(md) {
  md.core.ruler.push('anchors', (state) => {
    const used = new Map();
    state.env.headings = [];
    state.tokens.forEach((token, i) => {
      if (token.type !== 'heading_open') return;
      const title = state.tokens[i + 1].content;
      const anchor = anchorOf(title, used);
      token.attrSet('id', anchor);
      state.env.headings.push({ level: Number(token.tag.slice(1)), title: words(title), anchor });
    });
  });
}

function takeLinks(md) {
  const open = [];
  md.renderer.rules.link_open = (tokens, i, options, env, self) => {
    const address = addressOf(tokens[i].attrGet('href'), env.site);
    open.push(address !== null);
    if (address === null) return '<span class="source">';
    const page = address.match(/^([\w-]+)\.html/)?.[1];
    const text = tokens[i + 1];
    if (page && text.type === 'text' && text.content === `${page}.md`)
      text.content = env.site.pages.get(page);
    tokens[i].attrSet('href', address);
    return self.renderToken(tokens, i, options);
  };
  md.renderer.rules.link_close = () => (open.pop() ? '</a>' : '</span>');
}

/* Wide tables and long lines scroll by themselves, and a keyboard reaches them. Pictures lie beside the pages. */
function takeBlocks(md) {
  md.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
  md.renderer.rules.table_close = () => '</table></div>\n';
  const fence = md.renderer.rules.fence;
  const image = md.renderer.rules.image;
  md.renderer.rules.image = (tokens, i, options, env, self) => {
    tokens[i].attrSet('src', pictureName(tokens[i].attrGet('src')));
    return image(tokens, i, options, env, self);
  };
  md.renderer.rules.fence = (...given) => fence(...given).replace('<pre>', '<pre tabindex="0">');
}

/* Comments of a page are for the tests. No other HTML is in docs/. */
const withoutComments = (text) => text.replace(/<!--[^]*?-->\n?/g, '');

export function makeRenderer(site) {
  const md = new MarkdownIt({ html: false, linkify: false });
  takeAnchors(md);
  takeLinks(md);
  takeBlocks(md);
  return (text) => {
    const env = { site };
    const html = md.render(withoutComments(text), env);
    return { html, headings: env.headings };
  };
}

/** The text of a page without marks, in parts: one for each heading. */
export function sectionsOf(text) {
  const used = new Map();
  const sections = [];
  let inCode = false;
  for (const line of withoutComments(text).split('\n')) {
    if (line.startsWith('```')) inCode = !inCode;
    const heading = inCode ? null : line.match(/^(#{1,6}) (.*)$/);
    if (heading) sections.push({ title: words(heading[2]), anchor: anchorOf(heading[2], used), text: '' });
    else if (sections.length && !line.startsWith('```'))
      sections.at(-1).text += ` ${line.replace(/\]\([^)]*\)/g, '').replace(/[`*|[\]]|-{3,}/g, ' ')}`;
  }
  return sections.map((section) => ({ ...section, text: section.text.replace(/\s+/g, ' ').trim() }));
}
