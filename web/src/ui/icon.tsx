/* ui/icon.tsx — the icons, by name. They are symbols of one file, which is loaded once. */
import sprite from './icons.svg?url';

export type IconName =
  | 'home' | 'flows' | 'runs' | 'inbox' | 'entity' | 'trigger' | 'table' | 'worker' | 'search' | 'plus' | 'minus' | 'close' | 'check'
  | 'down' | 'up' | 'right' | 'more' | 'go' | 'undo' | 'redo' | 'play' | 'retry' | 'signal' | 'copy' | 'pin' | 'warn' | 'theme'
  | 'file' | 'pulse' | 'running' | 'failed' | 'done' | 'cancelled' | 'waiting' | 'person' | 'start' | 'end' | 'web' | 'mail'
  | 'database' | 'set' | 'decision' | 'split' | 'match' | 'loop' | 'event' | 'calendar' | 'help' | 'lock' | 'audit' | 'key'; // prettier-ignore

/** An icon says nothing by itself: the word beside it, or the button's label, does. */
export function Icon({ name, small = false }: { readonly name: IconName; readonly small?: boolean }) {
  return (
    <svg className={small ? 'i i-s' : 'i'} aria-hidden="true">
      <use href={`${sprite}#i-${name}`} />
    </svg>
  );
}
