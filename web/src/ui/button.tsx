/* ui/button.tsx — a button: never a submit by accident, and it cannot be pressed twice while it works. */
import type { ComponentPropsWithRef } from 'react';

import { Icon, type IconName } from './icon';

interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'className'> {
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger';
  readonly icon?: IconName;
  readonly isSmall?: boolean;
  /** Shows the icon alone; `label` is what a screen reader and the tooltip say. */
  readonly label?: string;
  readonly isBusy?: boolean;
  readonly isPressed?: boolean;
}

export function Button(props: ButtonProps) {
  const {
    look = 'plain',
    icon,
    isSmall = false,
    label,
    isBusy = false,
    isPressed,
    children,
    ...rest
  } = props;
  const classes = ['btn'];
  if (look !== 'plain') classes.push(look);
  if (isSmall) classes.push('small');
  if (label !== undefined) classes.push('icon');
  return (
    <button
      type="button"
      {...(label === undefined ? {} : { 'aria-label': label, title: label })}
      {...(isPressed === undefined ? {} : { 'aria-pressed': isPressed })}
      {...rest}
      // A button that is taken away while it has the focus would take the focus along.
      {...(isBusy
        ? { 'aria-busy': true, 'aria-disabled': true, onClick: (event) => event.preventDefault() }
        : {})}
      className={classes.join(' ')}
    >
      {icon !== undefined && <Icon name={icon} small={isSmall} />}
      {children}
    </button>
  );
}
