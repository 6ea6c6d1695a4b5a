/* pages/access/record-list.tsx — a list of one kind of records in its four faces, with a button to make another one. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { type Records, recordsQuery } from '../../api/access';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Menu, type MenuItem } from '../../ui/menu';
import { Skeleton } from '../../ui/skeleton';
import { type Column, Table } from '../../ui/table';
import { t } from '../../texts/access';
import styles from './access.module.css';

interface RecordListProps<Kind extends keyof Records> {
  readonly kind: Kind;
  /** The plural of the records, at the beginning of a sentence: "The users". */
  readonly what: string;
  readonly columns: readonly Column<Records[Kind]>[];
  readonly keyOf: (row: Records[Kind]) => string;
  readonly nameOf: (row: Records[Kind]) => string;
  readonly isPale?: (row: Records[Kind]) => boolean;
  readonly actionsOf: (row: Records[Kind]) => readonly MenuItem[];
  /** The sentence of an empty list. */
  readonly empty: readonly [title: string, help: string];
  readonly help: ReactNode;
  readonly add: string;
  readonly onAdd: () => void;
}

export function RecordList<Kind extends keyof Records>(props: RecordListProps<Kind>) {
  const { kind, what, keyOf, nameOf, isPale, actionsOf, empty, help, add, onAdd } = props;
  const list = useInfiniteQuery(recordsQuery(kind));
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  const columns: readonly Column<Records[Kind]>[] = [
    ...props.columns,
    {
      key: 'act',
      head: '',
      cell: (row, tabIndex) => {
        const items = actionsOf(row);
        return items.length === 0 ? null : (
          <Menu items={items}>
            <Button look="quiet" isSmall icon="more" label={t.with(nameOf(row))} tabIndex={tabIndex} />
          </Menu>
        );
      },
    },
  ];
  return (
    <>
      <div className={styles['lead']}>
        <p className="mid">{help}</p>
        <Button look="primary" icon="plus" onClick={onAdd}>
          {add}
        </Button>
      </div>
      {list.isPending && <Skeleton lines={5} />}
      {list.isError && <Failed what={what} problem={list.error} onRetry={list.refetch} />}
      {list.data !== undefined && (
        <section className="card">
          {rows.length === 0 ? (
            <Empty title={empty[0]}>{empty[1]}</Empty>
          ) : (
            <div className={styles['scroll']}>
              <Table
                label={what}
                rows={rows}
                columns={columns}
                keyOf={keyOf}
                nameOf={nameOf}
                {...(isPale === undefined ? {} : { isPale })}
              />
            </div>
          )}
          {list.hasNextPage && (
            <footer className={styles['foot']}>
              <Button isSmall isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {t.showMore}
              </Button>
            </footer>
          )}
        </section>
      )}
    </>
  );
}

/** A name in a cell: cut where there is no room, in its own direction. */
export function Name({ text, isMono = false }: { readonly text: string; readonly isMono?: boolean }) {
  return (
    <span className={`cut ${isMono ? 'mono' : 'm'} ${styles['name'] ?? ''}`} title={text}>
      <bdi>{text}</bdi>
    </span>
  );
}

export function Words({ words }: { readonly words: readonly string[] }) {
  if (words.length === 0) return <span className="dim">{t.none}</span>;
  return (
    <span className={styles['tags']}>
      {words.map((word) => (
        <span key={word} className={`tag ${styles['tag'] ?? ''}`}>
          <bdi className="cut" title={word}>
            {word}
          </bdi>
        </span>
      ))}
    </span>
  );
}
