/* texts/engine.ts — what the engine says by its codes, in the language of the page. Empty: there are no words but the engine's own, which are English. */
import './core';
import { engineTexts } from './language';
import type { EngineTexts, Phrase, PhraseGroup, Phrases, Saying } from './shape';

interface Form {
  readonly form: RegExp;
  readonly phrase: Phrase;
}

const FORMS = new WeakMap<Phrases, readonly Form[]>();

/* Forms that say most themselves come first: "Remove the line" before "Remove %s". */
function formsOf(phrases: Phrases): readonly Form[] {
  const known = FORMS.get(phrases);
  if (known !== undefined) return known;
  const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const own = (text: string) => text.replaceAll('%s', '').length;
  const forms = Object.entries(phrases)
    .sort(([a], [b]) => own(b) - own(a))
    .map(([text, phrase]) => ({
      form: new RegExp(`^${text.split('%s').map(escape).join('(.*?)')}$`, 's'),
      phrase,
    }));
  FORMS.set(phrases, forms);
  return forms;
}

/** Words that are found by the English ones. */
type Words = Readonly<Record<string, string>>;

function sayIn(phrases: Phrases, words: Words, own: string): string {
  if (Object.hasOwn(words, own)) return words[own] ?? '';
  for (const { form, phrase } of formsOf(phrases)) {
    const found = form.exec(own);
    if (found === null) continue;
    const said =
      typeof phrase === 'string' ? phrase : phrase((each) => sayIn(phrases, words, each), ...found.slice(1));
    if (said !== '') return said;
  }
  return '';
}

/** The words of such texts for a code; null: there are none for any. */
export function engineWords(texts: EngineTexts | null) {
  const find = (list: 'refusals' | 'codes' | 'problems' | 'failures' | 'titles', code: string): string => {
    const codes = texts?.[list];
    return codes !== undefined && Object.hasOwn(codes, code) ? (codes[code] ?? '') : '';
  };
  const sayFailure = (code: string | undefined): string => {
    const status = /^HTTP_(\d{3})$/.exec(code ?? '')?.[1];
    return status !== undefined && texts !== null
      ? texts.answer(Number(status))
      : find('failures', code ?? '');
  };
  const sayTitle = (own: string): string => find('titles', own) || own;
  return {
    /** The title of a step: that of its type if nobody has named it. */
    sayTitle,
    /** Why something failed, as a headline without a dot. */
    sayFailure,
    /** Why a step does not go on. */
    sayWait: (saying: Saying | undefined): string => {
      const say = saying === undefined ? undefined : texts?.sayings[saying.code];
      if (texts === null || saying === undefined || say === undefined) return '';
      const said = saying.title === undefined ? saying : { ...saying, title: sayTitle(saying.title) };
      return texts.sentence(said, say(saying), sayFailure(saying.reasonCode));
    },
    /** A refusal: by its code, else by the word of its status. */
    sayRefusal: (code: string, word: string): string => find('codes', code) || find('refusals', word),
    /** A problem of a document. */
    sayProblem: (code: string): string => find('problems', code),
    /** A sentence that has no code; `words` are those of the page for values in it. */
    sayPhrase: (group: PhraseGroup, own: string, words: Words = {}): string =>
      texts === null ? '' : sayIn(texts.phrases[group], words, own),
  };
}

export const { sayFailure, sayPhrase, sayProblem, sayRefusal, sayTitle, sayWait } =
  engineWords(engineTexts());
