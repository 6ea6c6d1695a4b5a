/* pages/builder/builder-page.tsx — one flow, in three views of the same document: canvas, outline, text. What is edited is in the
 * store of the draft (store.ts); what the engine thinks of it comes from its checks, and what a test did from its test runs. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';

import { getDraft } from '../../api/drafts';
import { nodeTypesQuery } from '../../api/node-types';
import { openValue } from '../../flow/flow';
import { flowsAddress } from '../../ui/addresses';
import { Crumbs } from '../../ui/crumbs';
import { Failed } from '../../ui/failed';
import { Skeleton } from '../../ui/skeleton';
import { useTitle } from '../../ui/use-title';
import { Editor } from './editor';
import { OtherDocument } from './other-document';
import { storeOf } from './stores';

export function BuilderPage() {
  const { id } = useParams<{ id: string }>();
  return <Loader key={id} id={id} />;
}

function Loader({ id }: { readonly id: string }) {
  const draft = useQuery({
    queryKey: ['draft-to-edit', id],
    queryFn: ({ signal }) => getDraft(id, signal),
    // The store has it from here on; asking again would change nothing.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  const types = useQuery(nodeTypesQuery);
  useTitle(draft.isError ? 'Flow' : '');
  if (draft.isError || types.isError)
    return (
      <div className="page">
        <Crumbs path={[{ word: 'Flows', href: flowsAddress }]} here={id} />
        <h1>{id}</h1>
        <Failed
          what="The flow"
          problem={draft.error ?? types.error}
          onRetry={() => void Promise.all([draft.refetch(), types.refetch()])}
        />
      </div>
    );
  if (draft.isPending || types.isPending) return <Skeleton lines={6} />;
  const opened = openValue(draft.data.document);
  if (opened.kind === 'other')
    return <OtherDocument id={id} document={opened.value} why={opened.why} draft={draft.data} />;
  return <Editor store={storeOf(id, draft.data, opened.flow)} types={types.data} />;
}
