/* pages/builder/regions.ts — F6 and Shift+F6 move the focus from part to part of the page. */

/* In this order: names and pluses of lines are no stops of their own, the chosen step is. In a very large flow it is drawn only in sight. */
const STOPS = [
  '.react-flow__node[tabindex="0"], [role="tree"] [tabindex="0"]',
  '.react-flow__node',
  '[tabindex="0"], input:not([tabindex="-1"]), select:not([tabindex="-1"]), button:not([tabindex="-1"])',
];

function stopOf(region: HTMLElement): HTMLElement | undefined {
  // The text stands in a shadow root.
  const root = region.firstElementChild?.shadowRoot ?? region;
  return STOPS.flatMap((stop) => root.querySelector<HTMLElement>(stop) ?? [])[0];
}

/** The focus may be beside the parts, in the bar or at a line: the next part is the one that comes behind it. */
export function goToRegion(way: 'next' | 'before'): void {
  const now = document.activeElement ?? document.body;
  const parts = [...document.querySelectorAll<HTMLElement>('[data-region]')].flatMap((region) => {
    const stop = region.offsetParent === null ? undefined : stopOf(region);
    return stop === undefined ? [] : [{ stop, at: now.compareDocumentPosition(region) }];
  });
  const { DOCUMENT_POSITION_FOLLOWING, DOCUMENT_POSITION_PRECEDING } = Node;
  const part =
    way === 'next'
      ? (parts.find(({ at }) => (at & DOCUMENT_POSITION_FOLLOWING) !== 0) ?? parts[0])
      : // One round the focus comes before it, too, and is where it is now.
        (parts.findLast(({ at }) => at === DOCUMENT_POSITION_PRECEDING) ?? parts.at(-1));
  // The canvas shows a step by itself: if the browser scrolled to it, the canvas would be shifted in its frame.
  part?.stop.focus({ preventScroll: part.stop.matches('.react-flow__node') });
}
