/* pages/entities/entity-actions.tsx — the transitions that can be fired now, as buttons. One that asks for data, does work or
 * cannot be undone is shown first (`…`); the others are fired at once, and only if the entity is still as this page shows it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import {
  definitionIdOf,
  type Entity,
  modelDefinitionsQuery,
  patchEntity,
  transitionsQuery,
} from '../../api/entities';
import { documentQuery } from '../../api/documents';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';
import { usePerson } from '../../ui/person';
import { listWords } from '../../ui/words';
import { t } from '../../texts/entities';
import styles from './entities.module.css';
import { FireDialog } from './fire-dialog';
import { refusalOf } from './refusal';
import { type Transition, transitionsOf, transitionWord } from './workflow';

const isShownFirst = ({ wants, isLast, doesWork }: Transition) => wants.length > 0 || isLast || doesWork;

/** The workflows of the entity's model; undefined while they are not known, null: there are none. */
function useWorkflows({ meta }: Entity): unknown {
  const id = definitionIdOf(meta.modelKey.name, meta.modelKey.version);
  const definitions = useQuery(modelDefinitionsQuery(id));
  const version = definitions.data?.get(id);
  const document = useQuery({ ...documentQuery(id, version ?? 0), enabled: version !== undefined });
  if (definitions.data === undefined) return undefined;
  return version === undefined ? null : document.data;
}

export function EntityActions({ entity }: { readonly entity: Entity }) {
  const { id, state, transactionId } = entity.meta;
  const queries = useQueryClient();
  const person = usePerson();
  const names = useQuery(transitionsQuery(id));
  const workflows = useWorkflows(entity);
  const [asked, setAsked] = useState<Transition | null>(null);
  const [key, setKey] = useState(newKey);
  const fire = useMutation({
    mutationFn: (transition: string) =>
      patchEntity(id, { transition, patch: {}, transactionId }, { key, actor: person?.name ?? '' }),
    onSuccess: (_, transition) => announce(t.done(transitionWord(transition))),
    onSettled: () => {
      setKey(newKey());
      return queries.invalidateQueries({ queryKey: ['entities'] });
    },
  });
  if (names.isError) return <Failed problem={names.error} onRetry={names.refetch} what={t.whatCanBeDone} />;
  if (names.data === undefined || workflows === undefined) return null;
  const all = transitionsOf(workflows, state, names.data);
  const byHand = all.filter(({ isAutomatic }) => !isAutomatic);
  const byItself = all.filter(({ isAutomatic }) => isAutomatic);
  return (
    <div className={styles['actions']} role="group" aria-label={t.whatCanBeDoneNow}>
      {byItself.length > 0 && (
        <span className="dim s">
          {t.byItselfWhenItFits(listWords(byItself.map(({ name }) => transitionWord(name))))}
        </span>
      )}
      {byHand.length === 0 && byItself.length === 0 && (
        <span className="dim s">{t.nothingLeadsOnFromHere}</span>
      )}
      {byHand.map((transition, index) => (
        <Button
          key={transition.name}
          needs="entities:write"
          look={index === 0 ? 'primary' : 'plain'}
          title={transition.next === '' ? transition.name : t.to(transition.name, transition.next)}
          isBusy={fire.isPending && fire.variables === transition.name}
          onClick={() => (isShownFirst(transition) ? setAsked(transition) : fire.mutate(transition.name))}
        >
          <span className="cut">
            {transitionWord(transition.name)}
            {isShownFirst(transition) ? '…' : ''}
          </span>
        </Button>
      ))}
      {fire.isError && (
        <div className={styles['refused']}>
          <Failed problem={new Error(refusalOf(fire.error))} />
        </div>
      )}
      {asked !== null && <FireDialog entity={entity} transition={asked} onClose={() => setAsked(null)} />}
    </div>
  );
}
