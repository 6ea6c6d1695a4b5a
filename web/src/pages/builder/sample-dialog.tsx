/* pages/builder/sample-dialog.tsx — values for a test, in the form that a schema makes. */
import type { Json } from '../../flow/json';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { FormFields } from '../../ui/form/form-fields';
import { useForm } from '../../ui/form/use-form';

interface SampleDialogProps {
  readonly title: string;
  readonly done: string;
  readonly schema: Json | undefined;
  readonly value: Json;
  readonly onClose: () => void;
  readonly onDone: (value: Json) => void;
}

export function SampleDialog({ title, done: word, schema, value, onClose, onDone }: SampleDialogProps) {
  const form = useForm(schema ?? { type: 'object' }, value);
  const done = () => {
    const sent = form.send();
    if (sent !== null) onDone(sent.value);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={done}
      footer={
        <Button look="primary" type="submit">
          {word}
        </Button>
      }
    >
      <FormFields form={form} />
    </Dialog>
  );
}
