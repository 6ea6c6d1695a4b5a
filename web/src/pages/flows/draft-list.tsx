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
import { t } from '../../texts/flows';
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
      announce(t.itIsCalledNow(name.trim()));
      onClose();
      await queries.invalidateQueries({ queryKey: ['drafts'] });
    },
  });
  return (
    <Dialog
      title={t.rename(draftName(draft))}
      onClose={onClose}
      onSubmit={() => {
        if (name.trim() !== '' && !rename.isPending) rename.mutate();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t.back}</Button>
          <Button look="primary" type="submit" isBusy={rename.isPending} disabled={name.trim() === ''}>
            {t.rename2}
          </Button>
        </>
      }
    >
      <div className="field">
        <label htmlFor={id}>{t.name2}</label>
        <input
          id={id}
          className="in"
          dir="auto"
          value={name}
          maxLength={NAME_MAX}
          onChange={(event) => setName(event.target.value)}
        />
        <p className="help">{t.itsIdFollowsTheName}</p>
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
      announce(t.discarded(draftName(draft)));
      onClose();
      await queries.invalidateQueries({ queryKey: ['drafts'] });
      await queries.invalidateQueries({ queryKey: ['definitions'] });
    },
  });
  return (
    <Dialog
      title={t.discardTheDraft(draftName(draft))}
      onClose={onClose}
      onSubmit={() => discard.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{t.keepIt}</Button>
          <Button look="danger" type="submit" isBusy={discard.isPending}>
            {t.discardTheDraft2}
          </Button>
        </>
      }
    >
      <p className="mid">{t.savedItLastWhat(draft.author === '' ? t.somebody : draft.author)}</p>
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
      announce(t.copied(draftName(draft)));
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
        <span className="mono">{draft.definitionId}</span> {t.saved(<Time at={draft.updatedAt} as="ago" />)}
        {draft.author !== '' && <> {t.by(<bdi>{draft.author}</bdi>)}</>}
      </span>
      {copy.isError && <Failed problem={copy.error} />}
      <Menu
        items={[
          { label: t.rename3, onSelect: () => setAsking('rename') },
          { label: t.duplicate, onSelect: () => copy.mutate() },
          { label: t.discard, icon: 'close', isDanger: true, onSelect: () => setAsking('discard') },
        ]}
      >
        <button
          type="button"
          className="btn quiet icon small"
          aria-label={t.moreAboutTheDraft(draftName(draft))}
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
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what={t.theDrafts} />;
  if (drafts.length === 0) return null;
  const shown = isWhole ? drafts : drafts.slice(0, SHOWN);
  return (
    <section className={`card ${styles['draftCard'] ?? ''}`} aria-label={t.drafts}>
      <header>
        <h2>{t.drafts}</h2>
        <span className="count">{t.notPublishedYet(t.nDrafts(drafts.length))}</span>
      </header>
      <ul className={styles['drafts']}>
        {shown.map((draft) => (
          <DraftRow key={draft.definitionId} draft={draft} />
        ))}
      </ul>
      {drafts.length > shown.length && (
        <Button isSmall look="quiet" onClick={() => setWhole(true)}>
          {t.showAll(drafts.length)}
        </Button>
      )}
    </section>
  );
}
