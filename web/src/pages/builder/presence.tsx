/* pages/builder/presence.tsx — others on the same draft: their names, and what they have changed. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

import { draftNowQuery, type Reader } from '../../api/drafts';
import { listWords } from '../../texts/say';
import { usePerson } from '../../ui/person';
import { t } from '../../texts/builder';
import { Icon } from '../../ui/icon';
import type { BuilderState, Store } from './store';

/** The names of all but this page: a person with two pages is there once more. */
export function othersOf(readers: readonly Reader[], own: string): readonly string[] {
  return readers.flatMap(({ name, pages }) => {
    if (name !== own) return [name === '' ? t.somebodyElse : name];
    return pages > 1 ? [name === '' ? t.somebodyElse : t.youElsewhere] : [];
  });
}

interface PresenceProps {
  readonly store: Store;
  readonly save: BuilderState['save'];
}

export function Presence({ store, save }: PresenceProps) {
  const own = usePerson()?.name ?? '';
  // Before the first save there is no draft that anybody else could have open.
  const isThere = save.kind === 'saved' && save.at !== null;
  const now = useQuery(draftNowQuery(store.id, isThere));
  const newer = now.data?.draft;
  useEffect(() => {
    if (newer !== undefined) store.follow(newer);
  }, [store, newer, save.kind]);
  const others = othersOf(now.data?.readers ?? [], own);
  return (
    <span role="status">
      {others.length > 0 && (
        <span className="chip" data-presence>
          <Icon name="person" small />
          <bdi>{t.isHereToo(listWords(others), others.length)}</bdi>
        </span>
      )}
    </span>
  );
}
