/* app/cut-titles.ts — a text that the page cuts says itself in full when it is pointed at. One listener does it for every page: whether a
 * text is cut depends on the window, so no page can know it beforehand. */

/* The text that is pointed at stands in a few elements, one of which cuts it. */
const LEVELS_MAX = 4;

const titled = new WeakSet<HTMLElement>();

function isCut(element: HTMLElement): boolean {
  if (element.scrollWidth > element.clientWidth + 1)
    return getComputedStyle(element).textOverflow === 'ellipsis';
  if (element.scrollHeight > element.clientHeight + 1)
    return getComputedStyle(element).webkitLineClamp !== 'none';
  return false;
}

/** Titles that pages gave stay as they are; ours change with the text and go when there is room for it again. */
function refreshTitle(element: HTMLElement): boolean {
  if (element.title !== '' && !titled.has(element)) return true;
  if (isCut(element)) {
    element.title = element.textContent;
    titled.add(element);
    return true;
  }
  if (titled.delete(element)) element.removeAttribute('title');
  return false;
}

export function showCutTitles(): void {
  document.addEventListener('pointerover', ({ target }) => {
    let element = target instanceof HTMLElement ? target : null;
    for (let level = 0; element !== null && level < LEVELS_MAX; level++) {
      if (refreshTitle(element)) return;
      element = element.parentElement;
    }
  });
}
