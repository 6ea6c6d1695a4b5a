/* pages/tables/publish-dialog.tsx — publishes the draft that the table belongs to, unless the engine finds something that must be
 * mended first. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';

import { checkDocument, deleteDraft, publishDocument } from '../../api/drafts';
import { printJson } from '../../flow/json';
import { flowAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { newKey } from '../../ui/new-key';
import { Skeleton } from '../../ui/skeleton';
import { t } from '../../texts/tables';
import type { TableStore } from './table-store';
import styles from './tables.module.css';
import { findingWords } from './words';

interface PublishDialogProps {
  readonly store: TableStore;
  readonly name: string;
  readonly onClose: () => void;
}

export function PublishDialog({ store, name, onClose }: PublishDialogProps) {
  const { document, version } = useSyncExternalStore(store.subscribe, store.get);
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [key] = useState(newKey);
  const text = printJson(document);
  const checks = useQuery({
    queryKey: ['checks', undefined, text],
    queryFn: ({ signal }) => checkDocument(text, signal),
    staleTime: Infinity,
  });
  const publish = useMutation({
    mutationFn: async () => {
      await store.saveNow();
      const published = await publishDocument(printJson(store.get().document), key);
      await deleteDraft(store.id);
      return published;
    },
    onSuccess: async ({ definitionId, version: next }) => {
      announce(t.versionIsPublished(next));
      queries.removeQueries({ queryKey: ['draft-to-edit', store.id] });
      go(flowAddress(definitionId));
      await queries.invalidateQueries();
    },
  });
  const errors = checks.data?.filter(({ severity }) => severity === 'error') ?? [];
  const others = (checks.data?.length ?? 0) - errors.length;
  const canPublish = checks.isSuccess && errors.length === 0;
  return (
    <Dialog
      title={errors.length > 0 ? t.notYetSomethingMust : t.publish(name)}
      onClose={onClose}
      onSubmit={() => {
        if (canPublish) publish.mutate();
      }}
      footer={
        <>
          <Button onClick={onClose}>{errors.length > 0 ? t.backToTheTable : t.notNow}</Button>
          {errors.length === 0 && (
            <Button look="primary" type="submit" disabled={!canPublish} isBusy={publish.isPending}>
              {t.publishVersion(version + 1)}
            </Button>
          )}
        </>
      }
    >
      {checks.isPending && <Skeleton lines={2} />}
      {checks.isError && <Failed problem={checks.error} onRetry={checks.refetch} what={t.theChecks} />}
      {errors.length > 0 && (
        <ul className={styles['errors']}>
          {errors.map((error, index) => (
            <li key={index} className="st failed">
              <Icon name="failed" small />
              <span>{findingWords(error)}</span>
            </li>
          ))}
        </ul>
      )}
      {canPublish && (
        <p className="mid">
          {version === 0 ? t.fromNowOnItCan : t.newRunsTakeThisVersion}
          {others > 0 && t.canWait(t.nFindings(others))}
        </p>
      )}
      {publish.isError && <Failed problem={publish.error} />}
    </Dialog>
  );
}
