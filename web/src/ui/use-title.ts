/* ui/use-title.ts — the title of the window, which is what a tab and a bookmark show. */
import { useEffect } from 'react';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Pawl' : `${title} · Pawl`;
  }, [title]);
}
