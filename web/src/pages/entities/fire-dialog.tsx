/* pages/entities/fire-dialog.tsx — shows a transition before it is fired: where it leads, whether there is a way back, and the
 * fields that it looks at. Without a transition it changes the data alone. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { type Entity, modelSchemaQuery, patchEntity } from '../../api/entities';
import { asProblem } from '../../api/problem';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { FormFields, ProblemLine } from '../../ui/form/form-fields';
import { isObject, type JsonObject } from '../../ui/form/json';
import { useTypedForm } from '../../ui/form/typed-form';
import { Icon } from '../../ui/icon';
import { newKey } from '../../ui/new-key';
import { usePerson } from '../../ui/person';
import { Skeleton } from '../../ui/skeleton';
import { t } from '../../texts/entities';
import styles from './entities.module.css';
import { patchOf } from './patch';
import { refusalOf } from './refusal';
import { schemaOf, type Transition, transitionWord } from './workflow';

interface FireDialogProps {
  readonly entity: Entity;
  /** Null: only the data change. */
  readonly transition: Transition | null;
  readonly onClose: () => void;
}

export function FireDialog(props: FireDialogProps) {
  const { modelKey } = props.entity.meta;
  const schema = useQuery(modelSchemaQuery(modelKey.name, modelKey.version));
  if (schema.data !== undefined) return <FireForm {...props} schema={schema.data} />;
  return (
    <Dialog title={t.oneMoment} onClose={props.onClose}>
      {schema.isError ? (
        <Failed problem={schema.error} onRetry={schema.refetch} what={t.theForm} />
      ) : (
        <Skeleton />
      )}
    </Dialog>
  );
}

function Explanation({ entity, transition }: { readonly entity: Entity; readonly transition: Transition }) {
  return (
    <>
      <p className={styles['way']}>
        <span className="tag">{entity.meta.state}</span>
        <Icon name="right" small />
        <span className="tag">{transition.next}</span>
      </p>
      {transition.isLast && (
        <p className="st person">
          <Icon name="warn" />
          <span>{t.noWayLeadsBack(transition.next)}</span>
        </p>
      )}
      {transition.doesWork && <p className="mid">{t.othersAreAskedToDo}</p>}
      {transition.wants.length > 0 && <p className="mid">{t.itLooksAtTheseData}</p>}
    </>
  );
}

function FireForm({ entity, transition, schema, onClose }: FireDialogProps & { readonly schema: unknown }) {
  const { id, transactionId } = entity.meta;
  const queries = useQueryClient();
  const person = usePerson();
  const [key, setKey] = useState(newKey);
  // The state that the person saw when the dialog opened: a change meanwhile is refused, not overwritten.
  const [seen] = useState({ transactionId, data: isObject(entity.data) ? entity.data : {} });
  const hasForm = transition === null || transition.wants.length > 0;
  const [asked] = useState(() => (transition === null ? schema : schemaOf(schema, transition.wants)));
  // The text belongs to the data that were there when somebody typed it.
  const place = `entity:${id}:${transition?.name ?? ''}:${seen.transactionId}`;
  const [form, forget] = useTypedForm(place, hasForm ? asked : undefined, hasForm ? seen.data : undefined);
  const word = transition === null ? t.changeTheData : transitionWord(transition.name);
  const fire = useMutation({
    mutationFn: (patch: JsonObject) =>
      patchEntity(
        id,
        { transition: transition?.name ?? '', patch, transactionId: seen.transactionId },
        { key, actor: person?.name ?? '' },
      ),
    onSuccess: async () => {
      forget();
      announce(t.done2(word));
      onClose();
      await queries.invalidateQueries({ queryKey: ['entities'] });
    },
    // A request that the engine refused is over; one that it may not have heard is sent again as the same request.
    onError: (thrown) => {
      if (!asProblem(thrown).isAway) setKey(newKey());
      void queries.invalidateQueries({ queryKey: ['entities', id] });
    },
  });
  const send = () => {
    const read = form.send();
    if (read === null || fire.isPending) return;
    fire.mutate(hasForm && isObject(read.value) ? patchOf(seen.data, read.value) : {});
  };
  return (
    <Dialog
      title={word}
      onClose={onClose}
      onSubmit={send}
      footer={
        <>
          <Button onClick={onClose}>{t.back}</Button>
          <Button look="primary" type="submit" isBusy={fire.isPending}>
            {transition === null ? t.save : word}
          </Button>
        </>
      }
    >
      {transition !== null && <Explanation entity={entity} transition={transition} />}
      {hasForm && <FormFields form={form} />}
      {fire.isError && <ProblemLine message={refusalOf(fire.error)} />}
    </Dialog>
  );
}
