/* site.js — the search and the theme of the documentation. Everything else works without it. */
(() => {
  const root = document.documentElement;
  const field = document.getElementById('query');
  const found = document.getElementById('found');

  /* ---- the theme: that of the system, until somebody chooses ---- */

  const button = document.getElementById('theme');
  const kept = (() => {
    try {
      return localStorage.getItem('pawl-docs-theme');
    } catch {
      return null; /* The browser keeps nothing for this page. */
    }
  })();
  if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
  button.hidden = false;
  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const name = () => (button.textContent = isDark() ? 'Light' : 'Dark');
  name();
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    name();
    try {
      localStorage.setItem('pawl-docs-theme', root.dataset.theme);
    } catch {
      /* It holds for this page. */
    }
  });

  /* On a small window the list of pages is closed at first. */
  if (matchMedia('(max-width: 48rem)').matches) document.querySelector('.pages details').open = false;

  /* ---- the search ---- */

  let loading = null;
  const load = () =>
    (loading ??= fetch('search.json').then((answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    }));

  function show(nodes) {
    found.replaceChildren(...nodes);
    found.hidden = nodes.length === 0;
  }

  const paragraph = (text) => Object.assign(document.createElement('p'), { textContent: text });

  function link({ page, pageTitle, title, anchor }) {
    const a = document.createElement('a');
    a.href = `${page}.html${anchor ? `#${anchor}` : ''}`;
    a.append(title);
    if (pageTitle !== title)
      a.append(Object.assign(document.createElement('small'), { textContent: pageTitle }));
    return a;
  }

  async function search() {
    const text = field.value.trim();
    if (text.length < 2) return show([]);
    try {
      const index = await load();
      if (field.value.trim() !== text) return undefined;
      const best = pawlSearch(index, text).slice(0, 12);
      return show(best.length ? best.map(link) : [paragraph(`Nothing has “${text}”.`)]);
    } catch {
      loading = null;
      return show([
        paragraph('The index could not be loaded. Browsers refuse it for pages opened as files.'),
      ]);
    }
  }

  field.addEventListener('input', search);
  field.addEventListener('focus', () => load().catch(() => (loading = null)));
  document.getElementById('search').addEventListener('submit', (event) => {
    event.preventDefault();
    found.querySelector('a')?.click();
  });
  document.addEventListener('keydown', (event) => {
    const isTyped = event.target instanceof HTMLElement && event.target.matches('input, textarea');
    if (event.key === '/' && !isTyped) {
      event.preventDefault();
      field.focus();
    }
    if (event.key === 'Escape') show([]);
    const links = [...found.querySelectorAll('a')];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || found.hidden || links.length === 0) return;
    if (event.target !== field && !links.includes(event.target)) return;
    event.preventDefault();
    const next = links.indexOf(event.target) + step;
    (links[next] ?? field).focus();
  });
  document.addEventListener('click', (event) => {
    if (!event.target.closest('#search')) show([]);
  });
})();
