/* app/exact-location.ts — the address as it was made. The router undoes escapes on its own before we do, so a name with a percent sign in it
 * would be read as another name. Here percent signs are escaped once more than in the address bar, which its reading takes away. */
import type { BaseLocationHook, BaseSearchHook } from 'wouter';
import { useBrowserLocation, useSearch } from 'wouter/use-browser-location';

const escapeTwice = (text: string) => text.replaceAll('%25', '%2525');

export const useExactLocation: BaseLocationHook = () => {
  const [path, navigate] = useBrowserLocation();
  return [escapeTwice(path), navigate];
};

export const useExactSearch: BaseSearchHook = () => escapeTwice(useSearch());
