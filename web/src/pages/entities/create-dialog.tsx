/* pages/entities/create-dialog.tsx — creates an entity by hand, with a form made from the model's fields. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { createEntity, modelSchemaQuery } from '../../api/entities';
import { asProblem } from '../../api/problem';
import { entityAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { FormFields, ProblemLine } from '../../ui/form/form-fields';
import { useTypedForm } from '../../ui/form/typed-form';
import { newKey } from '../../ui/new-key';
import { usePerson } from '../../ui/person';
import { Skeleton } from '../../ui/skeleton';
import { t } from '../../texts/entities';
import { refusalOf } from './refusal';

interface CreateDialogProps {
  readonly name: string;
  readonly version: number;
  readonly onClose: () => void;
}

export function CreateDialog(props: CreateDialogProps) {
  const schema = useQuery(modelSchemaQuery(props.name, props.version));
  if (schema.data !== undefined) return <CreateForm {...props} schema={schema.data} />;
  return (
    <Dialog title={t.create(props.name)} onClose={props.onClose}>
      {schema.isError ? (
        <Failed problem={schema.error} onRetry={schema.refetch} what={t.theForm} />
      ) : (
        <Skeleton />
      )}
    </Dialog>
  );
}

function CreateForm({ name, version, schema, onClose }: CreateDialogProps & { readonly schema: unknown }) {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const person = usePerson();
  const [key, setKey] = useState(newKey);
  const [form, forget] = useTypedForm(`create:${name}:${version}`, schema);
  const create = useMutation({
    mutationFn: (data: unknown) => createEntity({ name, version }, data, { key, actor: person?.name ?? '' }),
    onSuccess: async (id) => {
      forget();
      announce(t.created);
      await queries.invalidateQueries({ queryKey: ['entities'] });
      go(entityAddress(id));
    },
    // A request that the engine refused is over; one that it may not have heard is sent again as the same request.
    onError: (thrown) => {
      if (!asProblem(thrown).isAway) setKey(newKey());
    },
  });
  const send = () => {
    const read = form.send();
    if (read !== null && !create.isPending) create.mutate(read.value);
  };
  return (
    <Dialog
      title={t.create(name)}
      onClose={onClose}
      onSubmit={send}
      footer={
        <>
          <Button onClick={onClose}>{t.back}</Button>
          <Button look="primary" type="submit" isBusy={create.isPending}>
            {t.create2}
          </Button>
        </>
      }
    >
      <FormFields form={form} />
      {create.isError && <ProblemLine message={refusalOf(create.error)} />}
    </Dialog>
  );
}
