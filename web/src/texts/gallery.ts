/* texts/gallery.ts — the words of the flows to begin with, found by the English ones. */
import { gallery } from './en/gallery';
import { textsOf } from './language';

export const t = textsOf('gallery', gallery);
