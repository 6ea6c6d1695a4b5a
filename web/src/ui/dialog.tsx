/* ui/dialog.tsx — a modal dialog, the browser's own: it keeps the focus, Escape closes it, the focus goes back to its opener. */
import { type ReactNode, type SubmitEvent, useId, useLayoutEffect, useRef } from 'react';

import { t } from '../texts/ui';
import { Button } from './button';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The buttons. The one that goes on is a submit button; Enter presses it. */
  readonly footer?: ReactNode;
  readonly onSubmit?: () => void;
}

/* No header and no footer: in the top bar they would be those of the page. */
const FIELD = ':scope > form > :not(.dialog-head, .dialog-foot)';
const CONTROLS = ':is(input, select, textarea):not(:disabled, [type="hidden"])';

/** Where typing begins: the first field, else the button that does no harm. The browser would choose the close button. */
function firstFocus(dialog: HTMLElement): HTMLElement | null {
  for (const part of dialog.querySelectorAll<HTMLElement>(FIELD)) {
    const field = part.matches(CONTROLS) ? part : part.querySelector<HTMLElement>(CONTROLS);
    if (field !== null) return field;
  }
  return (
    dialog.querySelector<HTMLElement>('.dialog-foot .btn:not(.primary, .danger, :disabled)') ??
    dialog.querySelector<HTMLElement>('.dialog-foot .btn:not(:disabled)')
  );
}

export function Dialog({ title, onClose, children, footer, onSubmit }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    if (element !== null) firstFocus(element)?.focus();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form onSubmit={send} className="dialog-body">
        <div className="row dialog-head">
          <h2 id={id} className="grow">
            {title}
          </h2>
          <Button look="quiet" isSmall icon="close" label={t.close} onClick={onClose} />
        </div>
        {children}
        {footer !== undefined && <div className="dialog-foot">{footer}</div>}
      </form>
    </dialog>
  );
}
