/* pages/flows/draft-list.tsx — drafts: what somebody still works on. They are renamed, copied and discarded here. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'wouter';

import { copyDraft, deleteDraft, type DraftItem, draftsQuery, renameDraft } from '../../api/drafts';
import { builderAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { useMay } from '../../ui/may';
import { Menu } from '../../ui/menu';
import { Time } from '../../ui/time';
import { plural } from '../../ui/words';
import styles from './flows.module.css';

const NAME_MAX = 200;
const SHOWN = 6;

/** The name by which people know a draft. */
export const draftName = ({ name, definitionId }: Pick<DraftItem, 'name' | 'definitionId'>): string =>
  name ?? definitionId;

/** A word of the name or the id, in letters of either case. */
export function draftFits(draft: Pick<DraftItem, 'name' | 'definitionId'>, keyword: string): boolean {
  const wanted = keyword.trim().toLowerCase();
  return [draftName(draft), draft.definitionId].some((text) => text.toLowerCase().includes(wanted));
}

interface DialogProps {
  readonly draft: DraftItem;
  readonly onClose: () => void;
}

function RenameDialog({ draft, onClose }: DialogProps) {
  const queries = useQueryClient();
  const id = useId();
  const [name, setName] = useState(draftName(draft));
  const rename = useMutation({
    mutationFn: () => renameDraft(draft.definitionId, name.trim()),
    onSuccess: async () => {
      announce(`It is called ${name.trim()} now.`);
      onClose();
      await queries.invalidateQueries({ queryKey: ['drafts'] });
    },
  });
  return (
    <Dialog
      title={`Rename ${draftName(draft)}`}
      onClose={onClose}
      onSubmit={() => {
        if (name.trim() !== '' && !rename.isPending) rename.mutate();
      }}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit" isBusy={rename.isPending} disabled={name.trim() === ''}>
            Rename
          </Button>
        </>
      }
    >
      <div className="field">
        <label htmlFor={id}>Name</label>
        <input
          id={id}
          className="in"
          dir="auto"
          value={name}
          maxLength={NAME_MAX}
          onChange={(event) => setName(event.target.value)}
        />
        <p className="help">Its id follows the name until it is published for the first time.</p>
      </div>
      {rename.isError && <Failed problem={rename.error} />}
    </Dialog>
  );
}

function DiscardDialog({ draft, onClose }: DialogProps) {
  const queries = useQueryClient();
  const discard = useMutation({
    mutationFn: () => deleteDraft(draft.definitionId, `"${draft.revision}"`),
    onSuccess: async () => {
      announce(`Discarded ${draftName(draft)}.`);
      onClose();
      await queries.invalidateQueries({ queryKey: ['drafts'] });
      await queries.invalidateQueries({ queryKey: ['definitions'] });
    },
  });
  return (
    <Dialog
      title={`Discard the draft of ${draftName(draft)}?`}
      onClose={onClose}
      onSubmit={() => discard.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" type="submit" isBusy={discard.isPending}>
            Discard the draft
          </Button>
        </>
      }
    >
      <p className="mid">
        {draft.author === '' ? 'Somebody' : draft.author} saved it last. What was published stays; what is
        only in this draft is gone.
      </p>
      {discard.isError && <Failed problem={discard.error} />}
    </Dialog>
  );
}

function DraftRow({ draft }: { readonly draft: DraftItem }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState<'rename' | 'discard' | null>(null);
  const copy = useMutation({
    mutationFn: () => copyDraft(draft.definitionId),
    onSuccess: async () => {
      announce(`Copied ${draftName(draft)}.`);
      await queries.invalidateQueries({ queryKey: ['drafts'] });
    },
  });
  return (
    <li>
      <Icon name="flows" small />
      <Link href={builderAddress(draft.definitionId)} className="m cut">
        <bdi>{draftName(draft)}</bdi>
      </Link>
      <span className="dim s cut">
        <span className="mono">{draft.definitionId}</span> · saved <Time at={draft.updatedAt} as="ago" />
        {draft.author !== '' && (
          <>
            {' by '}
            <bdi>{draft.author}</bdi>
          </>
        )}
      </span>
      {copy.isError && <Failed problem={copy.error} />}
      <Menu
        items={[
          { label: 'Rename…', onSelect: () => setAsking('rename') },
          { label: 'Duplicate', onSelect: () => copy.mutate() },
          { label: 'Discard…', icon: 'close', isDanger: true, onSelect: () => setAsking('discard') },
        ]}
      >
        <button
          type="button"
          className="btn quiet icon small"
          aria-label={`More about the draft ${draftName(draft)}`}
        >
          <Icon name="more" />
        </button>
      </Menu>
      {asking === 'rename' && <RenameDialog draft={draft} onClose={() => setAsking(null)} />}
      {asking === 'discard' && <DiscardDialog draft={draft} onClose={() => setAsking(null)} />}
    </li>
  );
}

export function DraftList({ keyword }: { readonly keyword: string }) {
  const may = useMay();
  const query = useQuery({ ...draftsQuery(), enabled: may('definitions:write') });
  const [isWhole, setWhole] = useState(false);
  const drafts = query.data?.filter((draft) => draftFits(draft, keyword)) ?? [];
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what="The drafts" />;
  if (drafts.length === 0) return null;
  const shown = isWhole ? drafts : drafts.slice(0, SHOWN);
  return (
    <section className={`card ${styles['draftCard'] ?? ''}`} aria-label="Drafts">
      <header>
        <h2>Drafts</h2>
        <span className="count">{plural(drafts.length, 'draft')}, not published yet</span>
      </header>
      <ul className={styles['drafts']}>
        {shown.map((draft) => (
          <DraftRow key={draft.definitionId} draft={draft} />
        ))}
      </ul>
      {drafts.length > shown.length && (
        <Button isSmall look="quiet" onClick={() => setWhole(true)}>
          Show all {drafts.length}
        </Button>
      )}
    </section>
  );
}
