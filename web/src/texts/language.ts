/* texts/language.ts — which language the application speaks, and the texts of it that are here. English comes with the code that shows it;
 * any other language is a chunk for each area, which has to be here before code of that area is evaluated: tables of words may then be
 * constants, and nobody has to wait for a text. */
import type { Area, EngineTexts, Tables } from './shape';

/** The languages that are whole, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** How dates and numbers of a language are written. */
const LOCALES: { readonly [L in Language]: string } = { en: 'en-GB', de: 'de-DE' };
const DIRECTIONS: { readonly [L in Language]: 'ltr' | 'rtl' } = { en: 'ltr', de: 'ltr' };
const KEY = 'pawl.language';

export const isLanguage = (text: string | null): text is Language =>
  text !== null && Object.hasOwn(LANGUAGES, text);

/** The first language that somebody reads and that is whole; English if there is none. */
export function languageFor(kept: string | null, read: readonly string[]): Language {
  if (isLanguage(kept)) return kept;
  return read.map((tag) => tag.toLowerCase().split('-')[0] ?? '').find(isLanguage) ?? 'en';
}

const isBrowser = typeof document !== 'undefined' && typeof localStorage !== 'undefined';

/** The language that somebody has chosen in this browser; null: as the browser says. */
export function keptLanguage(): Language | null {
  const kept = isBrowser ? localStorage.getItem(KEY) : null;
  return isLanguage(kept) ? kept : null;
}

/** Null: as the browser says. The page has to be loaded anew: its texts are constants. */
export function keepLanguage(language: Language | null): void {
  if (language === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, language);
}

/** Does not change while the page is open. */
export const language: Language = isBrowser ? languageFor(keptLanguage(), navigator.languages) : 'en';
export const locale = LOCALES[language];

/** The language whose shapes the signs have that Chinese, Japanese and Korean share, in what people have written (ui/tokens.css); empty: as usual. */
export function farFont(read: readonly string[]): 'ja' | 'hans' | 'hant' | 'ko' | '' {
  for (const tag of read) {
    if (/^ja\b/i.test(tag)) return 'ja';
    if (/^ko\b/i.test(tag)) return 'ko';
    if (/^zh\b/i.test(tag)) return /hant|\b(tw|hk|mo)\b/i.test(tag) ? 'hant' : 'hans';
  }
  return '';
}

if (isBrowser) {
  document.documentElement.dataset['far'] = farFont(navigator.languages);
  document.documentElement.lang = language;
  document.documentElement.dir = DIRECTIONS[language];
}

const loaded: { [A in Area]?: Tables[A] } = {};
let ofEngine: EngineTexts | null = null;

/** Brings the texts of areas here, unless they are. */
export async function loadTexts(areas: readonly Area[]): Promise<void> {
  if (language === 'en') return;
  const { GERMAN, GERMAN_OF_ENGINE } = await import('./german');
  ofEngine ??= await GERMAN_OF_ENGINE();
  await Promise.all(
    areas
      .filter((area) => loaded[area] === undefined)
      .map(async (area) => Object.assign(loaded, { [area]: await GERMAN[area]() })),
  );
}

/** The texts of an area in the language of the page. */
export function textsOf<A extends Area>(area: A, english: Tables[A]): Tables[A] {
  if (language === 'en') return english;
  const table = loaded[area];
  if (table === undefined) throw new Error(`the texts of “${area}” are not here yet`);
  return table;
}

/** The meanings of the engine's codes in the language of the page; null: the engine's own words are in it. */
export const engineTexts = (): EngineTexts | null => ofEngine;
