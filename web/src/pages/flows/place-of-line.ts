/* pages/flows/place-of-line.ts — where a line and a column are in a text. */

/** Both from 1; a line that is not there is the end, a column behind the line its end. */
export function placeOfLine(text: string, line: number, column: number): number {
  const lines = text.split('\n');
  const before = lines.slice(0, Math.max(0, line - 1));
  const start = before.reduce((sum, each) => sum + each.length + 1, 0);
  if (line > lines.length) return text.length;
  return start + Math.min(Math.max(0, column - 1), lines[line - 1]?.length ?? 0);
}
