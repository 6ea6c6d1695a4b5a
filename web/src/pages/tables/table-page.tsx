/* pages/tables/table-page.tsx — the editor of one decision table. It changes the draft of its flow, as the builder does. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';

import { type Draft, getDraft } from '../../api/drafts';
import { isObject, type JsonObject } from '../../flow/json';
import { builderAddress, tablesAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Crumbs } from '../../ui/crumbs';
import { saySave } from '../../ui/draft-saver';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { isTyping, useKeys } from '../../ui/keys';
import { Skeleton } from '../../ui/skeleton';
import { useLive } from '../../ui/use-live';
import { useParam } from '../../ui/use-param';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/tables';
import { PublishDialog } from './publish-dialog';
import { readTable } from './table-doc';
import { TableEditor } from './table-editor';
import { type TableStore, tableStoreOf } from './table-store';
import styles from './tables.module.css';

const KEYS = [
  { key: 'Enter', says: t.editTheCellAgainGo },
  { key: 'Tab', says: t.whileEditingToTheNext },
  { key: 'Escape', says: t.leaveTheCell },
  { key: 'Delete', says: t.emptyTheCell },
  { key: 'Alt', shown: 'Alt ↑ ↓', says: t.moveTheRow },
  { key: 'z', shown: 'Ctrl Z', says: t.takeBackWithShiftDo },
];

export function TablePage() {
  const id = useParam('id');
  const step = useParam('step');
  return <Loader key={`${id}\n${step}`} id={id} stepId={step} />;
}

function Loader({ id, stepId }: { readonly id: string; readonly stepId: string }) {
  const draft = useQuery({
    queryKey: ['draft-to-edit', id],
    queryFn: ({ signal }) => getDraft(id, signal),
    // The store has it from here on; asking again would change nothing.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  useTitle(t.decisionTable);
  if (draft.data !== undefined && isObject(draft.data.document))
    return <Opened id={id} stepId={stepId} draft={draft.data} document={draft.data.document} />;
  return (
    <>
      <Crumbs path={[{ word: t.decisionTables, href: tablesAddress }]} here={stepId} />
      <h1>{stepId}</h1>
      {draft.isPending && <Skeleton lines={6} />}
      {draft.isError && <Failed problem={draft.error} onRetry={draft.refetch} what={t.theTable} />}
      {draft.isSuccess && <Empty title={t.theDraftOfThisFlow} />}
    </>
  );
}

interface OpenedProps {
  readonly id: string;
  readonly stepId: string;
  readonly draft: Draft;
  readonly document: JsonObject;
}

/* The store is made once: what the engine says of the draft later does not replace what is being edited. */
function Opened({ id, stepId, draft, document }: OpenedProps) {
  const [store] = useState(() => tableStoreOf(id, draft, document));
  useLive(['drafts']);
  return <Editor store={store} stepId={stepId} />;
}

function useUndoKeys(store: TableStore): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z' || isTyping(event.target))
        return;
      event.preventDefault();
      if (event.shiftKey) store.redo();
      else store.undo();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [store]);
}

function Editor({ store, stepId }: { readonly store: TableStore; readonly stepId: string }) {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const queries = useQueryClient();
  const [isPublishing, setPublishing] = useState(false);
  const table = readTable(state.document, stepId);
  const name = typeof state.document['name'] === 'string' ? state.document['name'] : store.id;
  useTitle(table?.title ?? stepId);
  useUndoKeys(store);
  useKeys(t.decisionTable, KEYS);
  return (
    <div className={`bleed ${styles['page'] ?? ''}`}>
      <Crumbs path={[{ word: t.decisionTables, href: tablesAddress }]} here={table?.title ?? stepId} />
      <div className={styles['top']}>
        <h1 className="cut" title={table?.title ?? stepId}>
          <bdi>{table?.title ?? stepId}</bdi>
        </h1>
        <span className="mid cut">
          {t.in}{' '}
          <Link className="link" href={builderAddress(store.id)}>
            <bdi>{name}</bdi>
          </Link>
        </span>
        <span className="tag">{state.version === 0 ? t.draft : t.draftOfV(state.version)}</span>
        <span className="dim s" role="status">
          {saySave(state.save)}
        </span>
        <span className="grow" />
        <Button
          look="quiet"
          icon="undo"
          label={t.takeBackCtrlZ}
          disabled={state.past.length === 0}
          onClick={store.undo}
        />
        <Button
          look="quiet"
          icon="redo"
          label={t.doAgainCtrlShiftZ}
          disabled={state.future.length === 0}
          onClick={store.redo}
        />
        <Button look="primary" onClick={() => setPublishing(true)}>
          {t.publish2(state.version === 0 ? '' : ` v${state.version + 1}`)}
        </Button>
        {table !== null && table.description !== '' && (
          <p className={`dim s ${styles['about'] ?? ''}`}>{table.description}</p>
        )}
      </div>
      {state.save.kind === 'conflict' && (
        <div className={styles['banner']} role="alertdialog" aria-label={t.somebodyElseChanged}>
          <p>{t.whileYouDidNothing(<b>{t.somebodyElseChanged}</b>)}</p>
          <Button isSmall onClick={() => store.resolve('theirs')}>
            {t.takeTheirs}
          </Button>
          <Button isSmall look="primary" onClick={() => store.resolve('mine')}>
            {t.keepMine}
          </Button>
        </div>
      )}
      {state.save.kind === 'refused' && (
        <div className={styles['banner']} role="alert">
          <p>{t.theDraftCould(state.save.why)}</p>
          <Button isSmall onClick={() => void store.saveNow()}>
            {t.tryAgain}
          </Button>
        </div>
      )}
      {table === null ? (
        <Empty title={t.thisFlowHasNoSuch}>{t.itMayHaveBeenRemoved}</Empty>
      ) : (
        <TableEditor table={table} document={state.document} onEdit={store.edit} />
      )}
      {isPublishing && (
        <PublishDialog
          store={store}
          name={name}
          onClose={() => {
            setPublishing(false);
            void queries.invalidateQueries({ queryKey: ['definitions'] });
          }}
        />
      )}
    </div>
  );
}
