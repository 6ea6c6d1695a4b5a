/* app/theme.ts — light, dark or as the system says. public/theme.js reads the same key before the first paint. */

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'pawl.theme';
const NEXT: { readonly [K in Theme]: Theme } = { system: 'dark', dark: 'light', light: 'system' };

export function getTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function switchTheme(): Theme {
  const next = NEXT[getTheme()];
  if (next === 'system') {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset['theme'];
  } else {
    localStorage.setItem(KEY, next);
    document.documentElement.dataset['theme'] = next;
  }
  return next;
}
