/* ui/plot.tsx — a small plot of numbers over time, as a line over a ground or as bars. The words beside it say the same. */
import styles from './plot.module.css';

const WIDTH = 160;
const HEIGHT = 48;
const TOP = 4;

interface PlotProps {
  /** null: not known, the engine was not there. */
  readonly values: readonly (number | null)[];
  readonly isBars?: boolean;
  readonly isBad?: boolean;
  readonly height?: number;
}

/** The parts of `values` without gaps, as [index, value]. */
export function runsOf(values: readonly (number | null)[]): (readonly [number, number])[][] {
  const runs: (readonly [number, number])[][] = [];
  let open: (readonly [number, number])[] | null = null;
  values.forEach((value, index) => {
    if (value === null) {
      open = null;
      return;
    }
    if (open === null) runs.push((open = []));
    open.push([index, value]);
  });
  return runs;
}

export function Plot({ values, isBars = false, isBad = false, height = HEIGHT }: PlotProps) {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const base = height - 0.5;
  const step = WIDTH / Math.max(1, values.length - (isBars ? 0 : 1));
  const y = (value: number) => Number((base - (value / most) * (base - TOP)).toFixed(1));
  const x = (index: number) => Number((index * step).toFixed(1));
  return (
    <svg
      className={`${styles['plot'] ?? ''}${isBad ? ` ${styles['bad'] ?? ''}` : ''}`}
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className={styles['base']} d={`M0 ${base}H${WIDTH}`} />
      {isBars
        ? values.map(
            (value, index) =>
              value !== null &&
              value > 0 && (
                <rect key={index} x={x(index)} y={y(value)} width={step * 0.8} height={height - y(value)} />
              ),
          )
        : runsOf(values).map((run) => {
            const last = run[run.length - 1]?.[0] ?? 0;
            // A minute alone is drawn as long as a minute.
            const first = run.length === 1 ? last - 1 : (run[0]?.[0] ?? 0);
            const points = run.length === 1 ? [[first, run[0]?.[1] ?? 0] as const, ...run] : run;
            const line = points.map(([index, value]) => `${x(index)} ${y(value)}`).join('L');
            return (
              <g key={first}>
                <path className={styles['ground']} d={`M${line}L${x(last)} ${base}L${x(first)} ${base}z`} />
                <path className={styles['line']} d={`M${line}`} />
              </g>
            );
          })}
    </svg>
  );
}
