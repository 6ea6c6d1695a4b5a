/* pages/builder/publish-dialog.tsx — makes a version. Publishing is refused only with the list of what is wrong; what the flow needs and
 * does not have is told before. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { checksQuery } from '../../api/checks';
import { type CheckProblem, createDraft, deleteDraft, publishDocument } from '../../api/drafts';
import { asProblem } from '../../api/problem';
import { openValue, printFlow } from '../../flow/flow';
import { isMadeFrom, slugOf, underId, UNNAMED } from '../../flow/under-id';
import { flowAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icon';
import { MissingList } from '../../ui/missing-list';
import { newKey } from '../../ui/new-key';
import { t } from '../../texts/builder';
import { useBuilder } from './context';
import { ProblemList } from './problems';
import type { Store } from './store';

/* A flow that was begun without a name gets its id from the name that it has now. A draft holds the id meanwhile: two who publish
 * at once never make two versions of one flow. */
async function publishAs(store: Store, version: number, name: string, key: string) {
  const { flow } = store.get().history.now;
  const isUnnamed = version === 1 && isMadeFrom(store.id, UNNAMED) && !isMadeFrom(store.id, name);
  if (!isUnnamed || openValue(flow).kind !== 'flow') return publishDocument(store.text(), key);
  let text = '';
  const id = await createDraft(slugOf(name), (made) => {
    const document = underId(flow, made);
    text = printFlow(document);
    return document;
  });
  try {
    return await publishDocument(text, key);
  } finally {
    await deleteDraft(id);
  }
}

interface PublishDialogProps {
  readonly name: string;
  readonly version: number;
  readonly onPick: (problem: CheckProblem) => void;
  readonly onClose: () => void;
}

export function PublishDialog({ name, version, onPick, onClose }: PublishDialogProps) {
  const { store, problems } = useBuilder();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [key] = useState(newKey);
  const [text] = useState(store.text);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const errors = problems.filter((problem) => problem.severity === 'error');
  // Asked anew each time: a connection may have been set in another window.
  const checks = useQuery({ ...checksQuery(text), staleTime: 0, enabled: errors.length === 0 });
  const publish = async () => {
    setBusy(true);
    setRefusal(null);
    try {
      await store.saveNow();
      const published = await publishAs(store, version, name, key);
      await deleteDraft(store.id);
      store.published(published.version);
      announce(t.versionIsPublished(published.version));
      // The draft has gone; asking for it again would be a 404.
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'draft-to-edit' });
      queries.removeQueries({ queryKey: ['draft-to-edit', store.id] });
      navigate(flowAddress(published.definitionId));
    } catch (thrown) {
      setRefusal(asProblem(thrown).message);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={errors.length > 0 ? t.notYetSomethingMust : t.publish2(name)}
      onClose={onClose}
      onSubmit={() => void publish()}
      footer={
        errors.length > 0 ? (
          <Button onClick={onClose}>{t.backToTheFlow}</Button>
        ) : (
          <>
            <Button onClick={onClose}>{t.notNow}</Button>
            <Button look="primary" type="submit" isBusy={isBusy}>
              {t.publishVersion(version)}
            </Button>
          </>
        )
      }
    >
      {errors.length > 0 ? (
        <ProblemList
          onPick={(problem) => {
            onClose();
            onPick(problem);
          }}
          onLeave={onClose}
        />
      ) : (
        <p className="mid">
          {version === 1 ? t.fromNowOnItCan : t.newRunsTakeThisVersion}
          {problems.length > 0 && t.canWait(t.nProblems(problems.length))}
        </p>
      )}
      {errors.length === 0 && checks.data?.missing !== undefined && (
        <MissingList missing={checks.data.missing} />
      )}
      {refusal !== null && (
        <p className="st failed" role="alert">
          <Icon name="failed" />
          {refusal}
        </p>
      )}
    </Dialog>
  );
}
