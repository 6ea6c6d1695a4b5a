/* ui/button.tsx — a button: never a submit by accident, and it cannot be pressed twice while it works. One that needs a permission says
 * who can, where somebody may not press it. */
import type { ComponentPropsWithRef } from 'react';

import { Icon, type IconName } from './icon';
import { useMay } from './may';
import { type Permission, whoCan } from './permissions';

interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'className'> {
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger';
  readonly icon?: IconName;
  readonly isSmall?: boolean;
  /** Shows the icon alone; `label` is what a screen reader and the tooltip say. */
  readonly label?: string;
  readonly isBusy?: boolean;
  readonly isPressed?: boolean;
  /** The permission that the engine wants from the one who presses it. */
  readonly needs?: Permission;
}

/* A button that is taken away while it has the focus would take the focus along. */
const OFF = {
  'aria-disabled': true,
  onClick: (event: { preventDefault: () => void }) => event.preventDefault(),
} as const;

export function Button(props: ButtonProps) {
  const {
    look = 'plain',
    icon,
    isSmall = false,
    label,
    isBusy = false,
    isPressed,
    needs,
    children,
    ...rest
  } = props;
  const may = useMay();
  const refusal = needs === undefined || may(needs) ? null : whoCan(needs);
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
      {...(isBusy ? { 'aria-busy': true, ...OFF } : {})}
      {...(refusal === null
        ? {}
        : { ...OFF, 'data-refused': true, title: label === undefined ? refusal : `${label}. ${refusal}` })}
      className={classes.join(' ')}
    >
      {icon !== undefined && <Icon name={icon} small={isSmall} />}
      {children}
    </button>
  );
}
