/* ui/menu.tsx — a button that opens a list of actions. Not modal: the page's policy refuses the styles that would need. */
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

import { Icon, type IconName } from './icon';
import { sayKey } from './keys';
import styles from './menu.module.css';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly onSelect: () => void;
  readonly isDanger?: boolean;
  /** Why it cannot be chosen; shown beside it. */
  readonly refusal?: string;
  readonly key?: string;
}

interface MenuProps {
  /** The button that opens it: one element that takes a ref. */
  readonly children: ReactNode;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
}

export function Menu({ children, items, align = 'end' }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={`pop ${styles['menu'] ?? ''}`} align={align} sideOffset={4}>
          {items.map((item) => (
            <DropdownMenu.Item
              key={item.label}
              className={`${styles['item'] ?? ''}${item.isDanger === true ? ` ${styles['danger'] ?? ''}` : ''}`}
              onSelect={item.onSelect}
              disabled={item.refusal !== undefined}
            >
              {item.icon !== undefined && <Icon name={item.icon} />}
              <span className="grow">{item.label}</span>
              {item.refusal !== undefined && <span className="dim s">{item.refusal}</span>}
              {item.key !== undefined && <kbd>{sayKey(item.key)}</kbd>}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
