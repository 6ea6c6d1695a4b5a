/* pages/tables/words.ts — hit policies and the engine's findings, for people who call rules rows. */
import type { Schemas } from '../../api/client';
import { titleOfName } from '../../ui/form/schema';
import { listWords } from '../../ui/words';
import { sayProblem } from '../../texts/engine';
import { t } from '../../texts/tables';

export type Finding = Schemas['TableTrial']['findings'][number];

export const POLICIES: readonly { readonly code: string; readonly word: string }[] = [
  { code: 'U', word: t.exactlyOneRowFits },
  { code: 'F', word: t.theFirstRowThatFits },
  { code: 'A', word: t.anyRowThatFitsAll },
  { code: 'R', word: t.everyRowThatFits },
  { code: 'C', word: t.everyRowThatFits2 },
  { code: 'C+', word: t.everyRowThatFitsAdded },
  { code: 'C#', word: t.howManyRowsFit },
  { code: 'C>', word: t.theLargestOfTheRows },
  { code: 'C<', word: t.theSmallestOfTheRows },
];

export function policyWord(code: string): string {
  return POLICIES.find((each) => each.code === code)?.word ?? code;
}

/** "x = 1, y = 'a'" reads "x is 1 and y is a". */
function inputWords(text: string): string {
  const parts = text.split(/, (?=[\w.#$]+ = )/).map((part) => {
    const [, name = '', value = ''] = /^([\w.#$]+) = (.*)$/s.exec(part) ?? [];
    return name === '' ? part : t.isValue(name, value.replace(/^(["'])(.*)\1$/s, '$2'));
  });
  return listWords(parts);
}

function sentence(text: string): string {
  const words = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** `rules[4].when "credit" expression "x >": why at column 3` reads `Row 5, Credit: why`. */
function cellWords(message: string): string | null {
  const found =
    /(?:rules\[(\d+)\]\.\w+|ruleIndex=(\d+) column=)\s*"((?:[^"\\]|\\.)*)" expression "(?:.*)": (.*?)(?: at column \d+)?$/s.exec(
      message,
    );
  if (found === null) return null;
  const [, inRules, index, column = '', why = ''] = found;
  return t.row5(Number(inRules ?? index) + 1, titleOfName(column), why);
}

export function findingWords({ code, message }: Pick<Finding, 'code' | 'message'>): string {
  const overlap = /rules\[(\d+)\] and rules\[(\d+)\] can hold at once: (.*)$/s.exec(message);
  if (code === 'TABLE_OVERLAP' && overlap !== null) {
    const [, one = '0', other = '0', input = ''] = overlap;
    const example = input === 'any input' ? t.always : t.forExampleWhen(inputWords(input));
    return t.rowsAndBothFit(Number(one) + 1, Number(other) + 1, example);
  }
  const shadow = /rules\[(\d+)\] never counts: rules\[(\d+)\]/.exec(message);
  if (code === 'TABLE_SHADOW' && shadow !== null)
    return t.rowIsNeverReachedRow(Number(shadow[1]) + 1, Number(shadow[2]) + 1);
  const gap = /no rule holds for (.*)$/s.exec(message);
  if (code === 'TABLE_GAP' && gap !== null) return t.noRowFitsWhen(inputWords(gap[1] ?? ''));
  const said = cellWords(message) === null ? sayProblem(code) : '';
  if (said !== '') return said;
  return sentence(
    (cellWords(message) ?? message.replace(/^step "[^"]*" \(DECISION_TABLE\): /, ''))
      .replaceAll(/rules\[(\d+)\]/g, (_, row: string) => t.row6(Number(row) + 1))
      .replaceAll(/\brules\b/g, 'rows')
      .replaceAll(/\brule\b/g, 'row')
      .replaceAll(/\bholds\b/g, 'fits')
      .replaceAll(/\bhold\b/g, 'fit')
      .replaceAll(/\binstance\b/g, 'run'),
  );
}

const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/^DecisionTableUniqueViolation/, t.failsMoreThanOneRow],
  [/^DecisionTableNoRuleMatched/, t.failsNoRowFits],
  [/^DecisionTableAnyConflict/, t.failsTheRowsThatFit],
];

/** Why a table fails with some values. */
export function failureWords(error: string): string {
  const known = FAILURES.find(([pattern]) => pattern.test(error))?.[1];
  return known ?? findingWords({ code: '', message: error.replace(/^DecisionTable\w+: /, '') });
}

/** The row's outcome when values are tried. */
export function matchWords(matched: readonly number[]): string {
  const rows = matched.map((row) => String(row + 1));
  if (rows.length === 0) return t.noRowFits;
  return rows.length === 1 ? t.row3(rows[0] ?? '') : t.rows2(rows.join(', '));
}
