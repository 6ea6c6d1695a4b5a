/* ui/qr.ts — an address as a QR code, with 15 % of it as a reserve against dirt (level M).
 *
 * Codes of more than 77 squares are not made: a phone does not read them from a screen, and no address is as long. */
import { encode } from 'uqr';

/** True: a dark square. Rows from the top. */
export type Squares = readonly (readonly boolean[])[];

const VERSION_MAX = 15; // 77 squares

/** The squares without a border; null: the text is too long. */
export function qrOf(text: string): Squares | null {
  try {
    return encode(text, { ecc: 'M', border: 0, maxVersion: VERSION_MAX }).data;
  } catch {
    return null;
  }
}

/** Squares that a reader needs round the code. */
const QUIET = 4;

/** The code as an SVG that stands alone: dark on light in each theme, or no reader finds it. */
export function svgOf(squares: Squares): string {
  const size = squares.length + 2 * QUIET;
  const path = squares
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : [])))
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="white" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`;
}
