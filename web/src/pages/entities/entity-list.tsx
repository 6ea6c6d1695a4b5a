/* pages/entities/entity-list.tsx — a page of entities, newest first. */
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';

import type { Entity } from '../../api/entities';
import { entityAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { Skeleton } from '../../ui/skeleton';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { shortValue } from '../../ui/words';
import { t } from '../../texts/entities';
import styles from './entities.module.css';
import { columnsOf, type EntityField, entityName, valueAt } from './fields';
import { refusalOf } from './refusal';

const COLUMNS_MAX = 3;

const nameOf = ({ data, meta }: Entity) => entityName(data, meta.id);

function Value({ value }: { readonly value: unknown }) {
  if (value === undefined || value === null) return <span className="dim">–</span>;
  const text = typeof value === 'boolean' ? (value ? t.yes : t.no) : shortValue(value);
  return <bdi title={text}>{text}</bdi>;
}

/** The field that holds the names has no column of its own: it would say everything twice. */
function columnList(fields: readonly EntityField[], rows: readonly Entity[]): readonly Column<Entity>[] {
  const isNaming = ({ path }: EntityField) =>
    rows.length > 0 && rows.every((row) => shortValue(valueAt(row.data, path)) === nameOf(row));
  const own = columnsOf(fields, COLUMNS_MAX + 1)
    .filter((field) => !isNaming(field))
    .slice(0, COLUMNS_MAX);
  const wide = own.find(({ type }) => type === 'text')?.path;
  return [
    {
      key: 'name',
      head: t.name2,
      cell: (row, tabIndex) => (
        <Link
          className={`link cut ${styles['name'] ?? ''}`}
          tabIndex={tabIndex}
          href={entityAddress(row.meta.id)}
          title={nameOf(row)}
        >
          <bdi>{nameOf(row)}</bdi>
        </Link>
      ),
    },
    { key: 'state', head: t.state, cell: ({ meta }) => <span className="tag">{meta.state}</span> },
    ...own.map(({ path, title, type }, index): Column<Entity> => {
      return {
        key: path,
        head: title,
        isNumber: type === 'number',
        isWide: path === wide,
        isOptional: index > 1,
        cell: ({ data }) => <Value value={valueAt(data, path)} />,
      };
    }),
    {
      key: 'changed',
      head: t.changed2,
      isNumber: true,
      cell: ({ meta }) => <Time at={meta.lastUpdateTime} />,
    },
  ];
}

interface EntityListProps {
  readonly query: UseQueryResult<{ readonly items: readonly Entity[]; readonly nextCursor?: string }>;
  readonly fields: readonly EntityField[];
  readonly isFiltered: boolean;
  readonly isFirst: boolean;
  /** To the page that begins there; null: to the first. */
  readonly onTurn: (cursor: string | null) => void;
}

export function EntityList({ query, fields, isFiltered, isFirst, onTurn }: EntityListProps) {
  const [, go] = useLocation();
  const rows = query.data?.items ?? [];
  const next = query.data?.nextCursor;
  return (
    <>
      <div className={styles['scroll']} aria-busy={query.isFetching}>
        {query.isPending && <Skeleton lines={10} />}
        {query.isError && (
          <Failed problem={new Error(refusalOf(query.error))} onRetry={query.refetch} what={t.theEntities} />
        )}
        {query.isSuccess && rows.length === 0 && (
          <Empty title={next === undefined ? t.noEntityFits : t.noneAmongThoseLooked}>
            {next !== undefined
              ? t.theSearchCanGo
              : isFiltered
                ? t.takeAConditionAway
                : t.entitiesAppearHereAsSoon}
          </Empty>
        )}
        {rows.length > 0 && !query.isError && (
          <Table
            label={t.entities}
            rows={rows}
            columns={columnList(fields, rows)}
            keyOf={({ meta }) => meta.id}
            nameOf={(row) => `${nameOf(row)}, ${row.meta.state}`}
            onOpen={({ meta }) => go(entityAddress(meta.id))}
          />
        )}
      </div>
      <footer className={styles['cursor']}>
        <span>{t.shownNewestFirst(t.nEntities(rows.length))}</span>
        <span className="grow" />
        {!isFirst && (
          <Button isSmall onClick={() => onTurn(null)}>
            {t.newest}
          </Button>
        )}
        <Button isSmall disabled={next === undefined} onClick={() => onTurn(next ?? null)}>
          {t.next} <Icon name="right" small />
        </Button>
      </footer>
    </>
  );
}
