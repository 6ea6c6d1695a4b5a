/* pages/builder/other-document.tsx — a flow of another family: its picture beside its text, with live checks. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { api, ok } from '../../api/client';
import type { Draft } from '../../api/drafts';
import { isObject, type Json } from '../../flow/json';
import { printFlow } from '../../flow/flow';
import { flowAddress, flowsAddress } from '../../ui/addresses';
import { Crumbs } from '../../ui/crumbs';
import { Failed } from '../../ui/failed';
import { PictureView } from '../../ui/picture-view';
import { Skeleton } from '../../ui/skeleton';
import { useTitle } from '../../ui/use-title';
import styles from './builder.module.css';

interface OtherDocumentProps {
  readonly id: string;
  readonly document: Json;
  readonly why: string;
  readonly draft: Draft;
}

export function OtherDocument({ id, document, why }: OtherDocumentProps) {
  const name = isObject(document) && typeof document['name'] === 'string' ? document['name'] : id;
  useTitle(name);
  const [text] = useState(() => printFlow(document));
  const picture = useQuery({
    queryKey: ['pictures', undefined, text],
    queryFn: ({ signal }) => ok(api.POST('/api/pictures', { body: document, signal })),
  });
  return (
    <>
      <Crumbs
        path={[
          { word: 'Flows', href: flowsAddress },
          { word: name, href: flowAddress(id) },
        ]}
        here="Edit"
      />
      <h1 className="sr">{name}</h1>
      <p className="mid">{why}</p>
      <div className={styles['other']}>
        <div>
          {picture.isPending ? (
            <Skeleton />
          ) : picture.isError ? (
            <Failed what="The picture" problem={picture.error} onRetry={picture.refetch} />
          ) : (
            <PictureView picture={picture.data} label={`Picture of ${name}`} />
          )}
        </div>
        <div>
          <pre className="mono">{text}</pre>
        </div>
      </div>
    </>
  );
}
