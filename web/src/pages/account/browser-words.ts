/* pages/account/browser-words.ts — a browser by its User-Agent, as far as people tell them apart. Pure. */
import { t } from '../../texts/account';

/* Each names the ones before it, so the order matters. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\/|HeadlessChrome/, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

const nameIn = (names: typeof BROWSERS, agent: string) => names.find(([sign]) => sign.test(agent))?.[1];

/** "Firefox on Linux"; another program by its own first word. */
export function browserWords(agent: string): string {
  const browser = nameIn(BROWSERS, agent);
  const system = nameIn(SYSTEMS, agent);
  if (browser === undefined) return agent.split(/[\s/]/)[0] || t.unknown;
  return system === undefined ? browser : t.on(browser, system);
}
