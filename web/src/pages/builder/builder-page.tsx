/* pages/builder/builder-page.tsx — one flow, in three views of the same document: canvas, outline, text. The edited document is in the
 * store of the draft (store.ts); what the engine thinks of it comes from its checks, and what a test did from its test runs. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { type Draft, getDraft } from '../../api/drafts';
import { nodeTypesQuery } from '../../api/node-types';
import type { NodeTable } from '../../flow/table';
import { flowsAddress } from '../../ui/addresses';
import { Crumbs } from '../../ui/crumbs';
import { Failed } from '../../ui/failed';
import { Skeleton } from '../../ui/skeleton';
import { useLive } from '../../ui/use-live';
import { useParam } from '../../ui/use-param';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/builder';
import styles from './builder.module.css';
import { Editor } from './editor';
import { sayTable } from './said-types';
import { bringFormatOf } from './states';
import { storeOf } from './stores';

const saidTypesQuery = { ...nodeTypesQuery, select: (table: NodeTable) => sayTable(table) };

export function BuilderPage() {
  const id = useParam('id');
  return <Loader key={id} id={id} />;
}

function Loader({ id }: { readonly id: string }) {
  const draft = useQuery({
    queryKey: ['draft-to-edit', id],
    queryFn: async ({ signal }) => {
      const found = await getDraft(id, signal);
      await bringFormatOf(found.document);
      return found;
    },
    // The store has it from here on; asking again would change nothing.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const types = useQuery(saidTypesQuery);
  useTitle(draft.isError ? t.flow : '');
  if (draft.isError || types.isError)
    return (
      <div className="page">
        <Crumbs path={[{ word: t.flows, href: flowsAddress }]} here={id} />
        <h1>{id}</h1>
        <Failed
          what={t.theFlow}
          problem={draft.error ?? types.error}
          onRetry={() => void Promise.all([draft.refetch(), types.refetch()])}
        />
      </div>
    );
  if (draft.isPending || types.isPending)
    return (
      <div className={`bleed ${styles['build'] ?? ''} ${styles['loading'] ?? ''}`}>
        <Skeleton lines={8} />
        <Skeleton lines={3} />
        <Skeleton lines={6} />
      </div>
    );
  return <Opened id={id} draft={draft.data} table={types.data} />;
}

interface OpenedProps {
  readonly id: string;
  readonly draft: Draft;
  readonly table: NodeTable;
}

/* The store is made once: what the engine says of the draft later does not replace what is being edited. */
function Opened({ id, draft, table }: OpenedProps) {
  const [store] = useState(() => storeOf(id, draft));
  useLive(['drafts'], id);
  return <Editor store={store} table={table} />;
}
