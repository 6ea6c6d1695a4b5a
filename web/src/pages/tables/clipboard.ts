/* pages/tables/clipboard.ts — cells as text, as spreadsheets copy them: tabs between cells, a line per row, quotes round a cell
 * that holds a tab, a line end or a quote. */

export function readCells(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  const end = () => {
    rows[rows.length - 1]?.push(cell);
    cell = '';
  };
  const source = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  for (let at = 0; at < source.length; at++) {
    const sign = source.charAt(at);
    if (isQuoted && sign === '"' && source.charAt(at + 1) === '"') {
      cell += sign;
      at++;
    } else if (sign === '"' && (isQuoted || (cell === '' && isCellQuote(source, at)))) isQuoted = !isQuoted;
    else if (!isQuoted && sign === '\t') end();
    else if (!isQuoted && sign === '\n') {
      end();
      rows.push([]);
    } else cell += sign;
  }
  end();
  const last = rows[rows.length - 1];
  if (rows.length > 1 && last?.length === 1 && last[0] === '') rows.pop();
  return rows;
}

/** A quote opens a cell only if another one closes it before a tab or the end of the text. */
function isCellQuote(text: string, at: number): boolean {
  return /^"(?:[^"]|"")*"(?=[\t\n]|$)/.test(text.slice(at));
}

export function printCells(rows: readonly (readonly string[])[]): string {
  const quote = (cell: string) => (/[\t\n\r"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map((row) => row.map(quote).join('\t')).join('\n');
}
