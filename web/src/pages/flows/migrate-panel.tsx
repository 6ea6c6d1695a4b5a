/* pages/flows/migrate-panel.tsx — beside two versions: living runs of the one go on with the other. The engine tries it with each run and
 * says first what would become of them; then the command, which can be paused, stopped and undone. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'wouter';

import type { BulkPreview } from '../../api/bulk';
import { beginMigration, migrationPreviewQuery } from '../../api/migrations';
import { runAddress } from '../../ui/addresses';
import { BulkProgress } from '../../ui/bulk-progress';
import { Button } from '../../ui/button';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';
import { Skeleton } from '../../ui/skeleton';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/flows';
import {
  isRest,
  likelyMap,
  lostSteps,
  requestOf,
  type Step,
  type StepMap,
  VERDICT_WORDS,
  verdictsOf,
} from './migration';
import styles from './compare.module.css';

const REASONS_SHOWN = 10;

function Verdicts({ preview }: { readonly preview: BulkPreview }) {
  return (
    <ul className={styles['verdicts']} aria-label={t.whatWillBecomeOfThem}>
      {verdictsOf(preview).map(({ verdict, count, groups }) => (
        <li key={verdict} data-verdict={verdict}>
          <b>{formatCount(count)}</b>
          <span>
            {VERDICT_WORDS[verdict]}
            {groups.slice(0, REASONS_SHOWN).map((group, at) => (
              <small key={at}>
                {group.exampleReason !== undefined && (
                  <>
                    {t.nRuns(group.count)}: <bdi>{group.exampleReason}</bdi>.{' '}
                  </>
                )}
                {t.suchAs}{' '}
                {group.examples.slice(0, 2).map((example, index) => (
                  <span key={String(example)}>
                    {index > 0 && ', '}
                    <Link href={runAddress(String(example))} className="link mono">
                      {String(example)}
                    </Link>
                  </span>
                ))}
              </small>
            ))}
            {groups.length > REASONS_SHOWN && (
              <small>{t.and(t.nMoreReasons(groups.length - REASONS_SHOWN))}</small>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface MappingProps {
  readonly lost: readonly Step[];
  readonly newer: readonly Step[];
  readonly map: StepMap;
  readonly onChange: (map: StepMap) => void;
}

function Mapping({ lost, newer, map, onChange }: MappingProps) {
  const id = useId();
  return (
    <section>
      <h3>{t.stepsThatAreGone}</h3>
      <p className="dim s">{t.runsThatStandAtOne}</p>
      {lost.map((step, at) => (
        <div key={step.id} className="field">
          <label htmlFor={`${id}${at}`} dir="auto">
            {step.title}
          </label>
          <select
            id={`${id}${at}`}
            className="in"
            value={map[step.id] ?? ''}
            onChange={(event) => onChange({ ...map, [step.id]: event.target.value })}
          >
            <option value="">{t.stayWithTheirVersion}</option>
            {newer.map((each) => (
              <option key={each.id} value={each.id}>
                {each.title}
              </option>
            ))}
          </select>
        </div>
      ))}
    </section>
  );
}

interface MigratePanelProps {
  readonly definitionId: string;
  readonly from: number;
  readonly to: number;
  readonly older: readonly Step[];
  readonly newer: readonly Step[];
  readonly bulkId: string | null;
  readonly onBegun: (id: string) => void;
  readonly onClose: () => void;
}

function Plan({ definitionId, from, to, older, newer, onBegun, onClose }: Omit<MigratePanelProps, 'bulkId'>) {
  const id = useId();
  const [key] = useState(newKey);
  const [map, setMap] = useState<StepMap>(() => likelyMap(older, newer));
  const [isRetrying, setRetrying] = useState(true);
  const [reason, setReason] = useState('');
  const lost = lostSteps(older, newer).filter(isRest);
  const asked = (more: string) => requestOf(definitionId, { from, to }, map, { isRetrying, reason: more });
  // The reason is for those who read the history of a run: it changes nothing that the preview says.
  const preview = useQuery(migrationPreviewQuery(asked('')));
  const begin = useMutation({
    mutationFn: () => beginMigration(asked(reason), key),
    onSuccess: (bulk) => onBegun(bulk.id),
  });
  const moving = (preview.data?.moves ?? 0) + (preview.data?.mapped ?? 0);
  return (
    <>
      <div className={styles['plan']}>
        {lost.length > 0 && <Mapping lost={lost} newer={newer.filter(isRest)} map={map} onChange={setMap} />}
        <section aria-live="polite" aria-busy={preview.isFetching}>
          <h3>{t.whatWillBecomeOfThem}</h3>
          {preview.isPending && <Skeleton lines={4} />}
          {preview.isError && <Failed problem={preview.error} onRetry={preview.refetch} />}
          {preview.isSuccess &&
            (preview.data.found === 0 ? (
              <p className="mid">{t.noRunLivesWithVersion(from)}</p>
            ) : (
              <Verdicts preview={preview.data} />
            ))}
        </section>
        <section>
          <label className={styles['check']}>
            <input
              type="checkbox"
              className="cb"
              checked={isRetrying}
              onChange={(event) => setRetrying(event.target.checked)}
            />
            {t.tryTheStepAgain}
          </label>
          <div className="field">
            <label htmlFor={id}>{t.whyMayBeEmpty}</label>
            <input
              id={id}
              className="in"
              value={reason}
              maxLength={500}
              onChange={(event) => setReason(event.target.value)}
            />
          </div>
        </section>
        {begin.isError && <Failed problem={begin.error} />}
      </div>
      <footer>
        <Button
          look="primary"
          needs="instances:operate"
          disabled={!preview.isSuccess || moving === 0}
          isBusy={begin.isPending}
          onClick={() => begin.mutate()}
        >
          {t.bringAlong(t.nRuns(moving))}
        </Button>
        <Button onClick={onClose}>{t.back}</Button>
      </footer>
    </>
  );
}

export function MigratePanel(props: MigratePanelProps) {
  const { from, to, bulkId, onBegun, onClose } = props;
  return (
    <aside
      className={`card ${styles['list'] ?? ''} ${styles['migrate'] ?? ''}`}
      aria-label={t.bringLivingRunsAlong2}
    >
      <header>
        <h2>{bulkId === null ? t.runsOfVGo(from, to) : t.howFar}</h2>
        <span className="end">
          <Button look="quiet" isSmall icon="close" label={t.close} onClick={onClose} />
        </span>
      </header>
      {bulkId === null ? (
        <Plan key={`${from} ${to}`} {...props} />
      ) : (
        <BulkProgress key={bulkId} id={bulkId} onBegun={onBegun} onClose={onClose} />
      )}
    </aside>
  );
}
