/* ui/empty.tsx — the empty face of a query: what would be here, and what to do about it. */
import type { ReactNode } from 'react';

import styles from './faces.module.css';

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className={styles['empty']}>
      <p className="m">{title}</p>
      {children !== undefined && <div className="mid s">{children}</div>}
    </div>
  );
}
