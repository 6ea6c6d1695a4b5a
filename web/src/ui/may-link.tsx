/* ui/may-link.tsx — a link to something that not everybody may see or do. A button that leads nowhere says who can; a name is only text then. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';

import { useMay } from './may';
import { type Permission, whoCan } from './permissions';

interface MayLinkProps {
  readonly href: string;
  readonly needs: Permission;
  readonly className: string;
  readonly title?: string;
  readonly tabIndex?: 0 | -1;
  readonly 'aria-label'?: string;
  readonly children: ReactNode;
}

export function MayLink({ needs, children, ...rest }: MayLinkProps) {
  const may = useMay();
  if (may(needs)) return <Link {...rest}>{children}</Link>;
  const { className, title } = rest;
  const isButton = className.split(' ').includes('btn');
  if (!isButton)
    return (
      <span className={className.replace(/\blink\b/, '').trim()} {...(title === undefined ? {} : { title })}>
        {children}
      </span>
    );
  return (
    // It can be reached, so that it can say why it leads nowhere.
    <span
      role="link"
      aria-disabled="true"
      tabIndex={0}
      className={className}
      data-refused
      title={whoCan(needs)}
    >
      {children}
    </span>
  );
}
