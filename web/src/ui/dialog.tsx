/* ui/dialog.tsx — a modal dialog, the browser's own: it keeps the focus, Escape closes it, the focus goes back to its opener. */
import { type ReactNode, type SubmitEvent, useId, useLayoutEffect, useRef } from 'react';

import { Button } from './button';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The buttons. The one that goes on is a submit button; Enter presses it. */
  readonly footer?: ReactNode;
  readonly onSubmit?: () => void;
}

export function Dialog({ title, onClose, children, footer, onSubmit }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
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
        <header className="row">
          <h2 id={id} className="grow">
            {title}
          </h2>
          <Button look="quiet" isSmall icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
        {footer !== undefined && <footer className="dialog-foot">{footer}</footer>}
      </form>
    </dialog>
  );
}
