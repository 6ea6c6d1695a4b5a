/* pages/run/visit-data.tsx — what went into a visit, what came out, what changed in the run. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { visitQuery, type VisitWhole } from '../../api/instances';
import { CopyButton } from '../../ui/copy-button';
import { EngineWords } from '../../ui/engine-words';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { kindLook } from '../../ui/kinds';
import { Skeleton } from '../../ui/skeleton';
import { ValueList } from '../../ui/value-list';
import { shortValue } from '../../ui/words';
import { sayFailure, sayPhrase } from '../../texts/engine';
import { t } from '../../texts/run';
import { RunData } from './run-data';
import { wordsOfPath } from './run-values';
import styles from './run.module.css';

type Change = VisitWhole['changes'][number];

const CHANGE_LOOKS = { '+': 'added', '~': 'changed', '-': 'removed' } as const;
const CHANGE_WORDS = { '+': 'new', '~': 'changed', '-': 'gone' } as const;

type Titles = ReadonlyMap<string, string>;

function ChangeRow({ change, titles }: { readonly change: Change; readonly titles: Titles }) {
  return (
    <li className={styles[CHANGE_LOOKS[change.op]]}>
      <b aria-hidden="true">{change.op}</b>
      <code title={change.path}>
        <span className="sr">{CHANGE_WORDS[change.op]} </span>
        <bdi>{wordsOfPath(change.path, titles)}</bdi>{' '}
        {change.op !== '+' && <del>{shortValue(change.before)}</del>}{' '}
        {change.op !== '-' && shortValue(change.after)}
      </code>
    </li>
  );
}

function Json({ value }: { readonly value: unknown }) {
  const text = value === undefined ? '' : JSON.stringify(value, null, 2);
  return text === '' ? <p className="dim s">{t.nothing}</p> : <pre className={styles['json']}>{text}</pre>;
}

/** Numbers of visits have gaps, so people are told the place instead. */
function triesWords(visit: VisitWhole, place: number | null): string {
  const total = visit.triesTotal ?? visit.tries.length;
  const words = [
    place === null ? '' : t.visit2(place),
    total > 1 ? t.nTries(total) : '',
    visit.by === undefined ? '' : t.by2(visit.by),
  ];
  return words.filter((word) => word !== '').join(', ');
}

interface VisitDataProps {
  readonly runId: string;
  readonly number: number;
  /** Which visit of the run it is, from 1; null: not known yet. */
  readonly place: number | null;
  /** The names of the steps by their ids. */
  readonly titles: Titles;
}

export function VisitData({ runId, number, place, titles }: VisitDataProps) {
  const query = useQuery(visitQuery(runId, number));
  const [isJson, setJson] = useState(false);
  if (query.isPending) return <Skeleton lines={4} />;
  if (query.isError)
    return <Failed problem={query.error} onRetry={query.refetch} what={t.theDataOfThisVisit} />;
  const visit = query.data;
  return (
    <>
      <header>
        <Icon name={kindLook(visit.kind, visit.type).icon} />
        <h2 className="cut" dir="auto">
          {visit.title}
        </h2>
        <span className={`count ${styles['place'] ?? ''}`}>{triesWords(visit, place)}</span>
        <span className="end">
          <CopyButton
            text={JSON.stringify({ in: visit.in, out: visit.out }, null, 2)}
            what={t.theDataOfThisVisit2}
          />
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
        <section tabIndex={0} aria-label={t.wentIn}>
          <h3>{t.wentIn}</h3>
          {isJson ? <Json value={visit.in} /> : <RunData value={visit.in} titles={titles} />}
        </section>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <section tabIndex={0} aria-label={t.cameOut}>
          <h3>{t.cameOut}</h3>
          {visit.reason !== undefined && (
            <p className={styles['reason']}>
              <EngineWords
                sentence={sayFailure(visit.reasonCode)}
                own={sayPhrase('waits', visit.reason) || visit.reason}
              />
            </p>
          )}
          {(visit.reason === undefined || visit.out !== undefined) &&
            (isJson ? <Json value={visit.out} /> : <ValueList value={visit.out} />)}
        </section>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <section tabIndex={0} aria-label={t.whatChangedInTheRun}>
          <h3>{t.whatChangedInTheRun}</h3>
          {visit.changes.length === 0 ? (
            <p className="dim s">{t.nothing}</p>
          ) : (
            <ul className={styles['diff']}>
              {visit.changes.map((change) => (
                <ChangeRow key={change.op + change.path} change={change} titles={titles} />
              ))}
            </ul>
          )}
          {visit.cut === true && <p className="dim s">{t.somethingWasTooLong}</p>}
        </section>
      </div>
    </>
  );
}
