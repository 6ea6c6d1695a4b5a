/* pages/builder/later.tsx — parts of the builder that its first view does not show: they come while nobody waits, or when they are first asked
 * for. Not React's lazy(), which shows that a part is on its way for 300 ms at least, however soon it is there. */
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

const loads: (() => Promise<void>)[] = [];

/** Brings all of them here; one that is lost is asked for again when it is shown. */
export function loadLater(): void {
  for (const load of loads) load().catch(() => undefined);
}

/** A component whose code comes later. */
export function later<Props extends object>(
  fetchPart: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactNode {
  let part: ComponentType<Props> | null = null;
  const load = async () => {
    part ??= await fetchPart();
  };
  loads.push(load);
  return function Later(props: Props) {
    const [lost, setLost] = useState<unknown>(null);
    const [, setHere] = useState(part !== null);
    useEffect(() => {
      if (part === null) load().then(() => setHere(true), setLost);
    }, []);
    if (lost !== null) throw lost instanceof Error ? lost : new Error('a part of the page is lost');
    const Part = part;
    return Part === null ? <p className="help">…</p> : <Part {...props} />;
  };
}
