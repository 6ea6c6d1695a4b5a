/* ui/copy-button.tsx — puts a text on the clipboard and says so. */
import { t } from '../texts/ui';
import { announce } from './announce';
import { Button } from './button';

interface CopyButtonProps {
  readonly text: string | (() => Promise<string>);
  /** The name of what is copied: "the address". */
  readonly what: string;
  readonly children?: string;
  /** -1: arrows reach it in its list, the Tab key does not. */
  readonly tabIndex?: 0 | -1;
}

/** The clipboard needs a secure page; over plain HTTP by name the old way still works. */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- The only way outside of a secure page.
  document.execCommand('copy');
  area.remove();
}

export function CopyButton({ text, what, children, tabIndex = 0 }: CopyButtonProps) {
  const copy = async () => {
    try {
      await copyText(typeof text === 'string' ? text : await text());
      announce(t.copied(what));
    } catch {
      announce(t.couldNotCopy(what));
    }
  };
  const words = t.copy(what);
  if (children !== undefined)
    return (
      <Button icon="copy" onClick={() => void copy()}>
        {children}
      </Button>
    );
  return (
    <Button
      look="quiet"
      isSmall
      icon="copy"
      label={words}
      tabIndex={tabIndex}
      onClick={(event) => {
        event.stopPropagation(); // The row around it opens something else.
        void copy();
      }}
    />
  );
}
