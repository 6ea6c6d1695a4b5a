/* ui/crumbs.tsx — where the page is, in the top bar. The shell has the place, the page says what stands there. */
import { createContext, Fragment, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';
import { Link } from 'wouter';

import { t } from '../texts/ui';
import { Icon } from './icon';

/** The element of the top bar that takes the crumbs. */
export const CrumbsContext = createContext<HTMLElement | null>(null);

export interface Crumb {
  readonly word: string;
  readonly href: string;
}

interface CrumbsProps {
  readonly path: readonly Crumb[];
  readonly here: string;
  /** The words beside it: "1 of 6". */
  readonly children?: ReactNode;
}

export function Crumbs({ path, here, children }: CrumbsProps) {
  const place = useContext(CrumbsContext);
  if (place === null) return null;
  return createPortal(
    <>
      <nav className="crumbs" aria-label={t.whereYou}>
        {path.map(({ word, href }) => (
          <Fragment key={href}>
            <Link href={href} className="cut">
              {word}
            </Link>
            <Icon name="right" small />
          </Fragment>
        ))}
        <b className="cut" aria-current="page">
          {here}
        </b>
      </nav>
      {children}
    </>,
    place,
  );
}
