/* ui/announce.ts — tells a screen reader what happened. The region is in index.html, so it is there from the first paint. */

/** Says `text` politely. The same text twice is said twice. */
export function announce(text: string): void {
  const region = document.getElementById('announcer');
  if (region === null) return;
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
