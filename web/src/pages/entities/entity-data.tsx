/* pages/entities/entity-data.tsx — the data of an entity, now or as they were after a change, and what that changed. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { type Entity, entityAtQuery, entityDiffQuery } from '../../api/entities';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { Failed } from '../../ui/failed';
import { Skeleton } from '../../ui/skeleton';
import { ValueList } from '../../ui/value-list';
import { shortValue } from '../../ui/words';
import { t } from '../../texts/entities';
import { type Diff, diffOf } from './audit-entries';
import styles from './entities.module.css';
import { FireDialog } from './fire-dialog';

const LOOKS = { '+': 'added', '~': 'changed', '-': 'removed' } as const;
const WORDS = { '+': 'new', '~': 'changed', '-': 'gone' } as const;

function DiffRow({ diff }: { readonly diff: Diff }) {
  return (
    <li className={styles[LOOKS[diff.op]]}>
      <b aria-hidden="true">{diff.op}</b>
      <code>
        <span className="sr">{WORDS[diff.op]} </span>
        {diff.name} {diff.op !== '+' && <del>{shortValue(diff.before)}</del>}{' '}
        {diff.op !== '-' && shortValue(diff.after)}
      </code>
    </li>
  );
}

function Changes({ id, transactionId }: { readonly id: string; readonly transactionId: string }) {
  const query = useQuery(entityDiffQuery(id, transactionId));
  if (query.isPending) return <Skeleton lines={3} />;
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what={t.whatChanged} />;
  const diffs = diffOf(query.data);
  if (diffs.length === 0) return <p className="dim s">{t.nothingInTheData}</p>;
  return (
    <ul className={styles['diff']}>
      {diffs.map((diff) => (
        <DiffRow key={diff.name} diff={diff} />
      ))}
    </ul>
  );
}

/** The data as they were; the newest version is what the entity is now. */
function Past({
  id,
  transactionId,
  isJson,
}: {
  readonly id: string;
  readonly transactionId: string;
  readonly isJson: boolean;
}) {
  const query = useQuery(entityAtQuery(id, transactionId));
  if (query.isPending) return <Skeleton lines={4} />;
  if (query.isError)
    return <Failed problem={query.error} onRetry={query.refetch} what={t.theDataOfThisVersion} />;
  return <Values data={query.data.data} isJson={isJson} />;
}

function Values({ data, isJson }: { readonly data: unknown; readonly isJson: boolean }) {
  if (isJson) return <pre className={styles['json']}>{JSON.stringify(data, null, 2)}</pre>;
  return <ValueList value={data} empty={t.itHasNoData} />;
}

interface EntityDataProps {
  readonly entity: Entity;
  /** The transaction whose version is shown; null: it is not known yet. */
  readonly shown: string | null;
  readonly number: number;
  readonly total: number;
  readonly onNow: () => void;
}

export function EntityData({ entity, shown, number, total, onNow }: EntityDataProps) {
  const { id } = entity.meta;
  const [isJson, setJson] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const isNow = number === total;
  return (
    <section className={`card ${styles['data'] ?? ''}`}>
      <header>
        <h2>{t.data}</h2>
        {total > 0 && (
          <span className="count">{isNow ? t.nowVersion(number) : t.asTheyWereVersion(number, total)}</span>
        )}
        <span className="end">
          {isNow ? (
            <Button isSmall needs="entities:write" onClick={() => setEditing(true)}>
              {t.change}
            </Button>
          ) : (
            <Button isSmall onClick={onNow}>
              {t.backToNow}
            </Button>
          )}
          <CopyButton text={JSON.stringify(entity.data, null, 2)} what={t.theDataAsThey} />
          <span className="seg" role="group" aria-label={t.showData}>
            <button type="button" aria-pressed={!isJson} onClick={() => setJson(false)}>
              {t.values}
            </button>
            <button type="button" aria-pressed={isJson} onClick={() => setJson(true)}>
              {t.json}
            </button>
          </span>
        </span>
      </header>
      <div className={styles['io']}>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keys. */}
        <section tabIndex={0} aria-label={isNow ? t.dataNow : t.dataAsTheyWere}>
          {isNow || shown === null ? (
            <Values data={entity.data} isJson={isJson} />
          ) : (
            <Past id={id} transactionId={shown} isJson={isJson} />
          )}
        </section>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <section tabIndex={0} aria-label={t.whatThisVersionChanged}>
          <h3>{number === 1 ? t.itBegan : t.whatThisVersionChanged}</h3>
          {shown === null ? <p className="dim s">{t.nothing}</p> : <Changes id={id} transactionId={shown} />}
        </section>
      </div>
      {isEditing && <FireDialog entity={entity} transition={null} onClose={() => setEditing(false)} />}
    </section>
  );
}
