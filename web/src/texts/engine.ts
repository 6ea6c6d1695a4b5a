/* texts/engine.ts — what the engine says by its codes, in the language of the page. Empty: there are no words but the engine's own, which are English. */
import './core';
import { engineTexts } from './language';
import type { EngineTexts, Saying } from './shape';

/** The words of such texts for a code; null: there are none for any. */
export function engineWords(texts: EngineTexts | null) {
  const find = (list: 'refusals' | 'codes' | 'problems' | 'failures', code: string): string => {
    const codes = texts?.[list];
    return codes !== undefined && Object.hasOwn(codes, code) ? (codes[code] ?? '') : '';
  };
  const sayFailure = (code: string | undefined): string => {
    const status = /^HTTP_(\d{3})$/.exec(code ?? '')?.[1];
    return status !== undefined && texts !== null
      ? texts.answer(Number(status))
      : find('failures', code ?? '');
  };
  return {
    /** Why something failed, as a headline without a dot. */
    sayFailure,
    /** Why a step does not go on. */
    sayWait: (saying: Saying | undefined): string => {
      const say = saying === undefined ? undefined : texts?.sayings[saying.code];
      if (texts === null || saying === undefined || say === undefined) return '';
      return texts.sentence(saying, say(saying), sayFailure(saying.reasonCode));
    },
    /** A refusal: by its code, else by the word of its status. */
    sayRefusal: (code: string, word: string): string => find('codes', code) || find('refusals', word),
    /** A problem of a document. */
    sayProblem: (code: string): string => find('problems', code),
  };
}

export const { sayFailure, sayProblem, sayRefusal, sayWait } = engineWords(engineTexts());
