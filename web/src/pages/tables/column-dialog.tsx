/* pages/tables/column-dialog.tsx — asks what a new column is about. */
import { useId, useState } from 'react';

import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { ProblemLine } from '../../ui/form/form-fields';
import { columnRefusal, type DecisionTable, type Side } from './table-doc';

interface ColumnDialogProps {
  readonly table: DecisionTable;
  readonly side: Side;
  readonly onAdd: (name: string) => void;
  readonly onClose: () => void;
}

export function ColumnDialog({ table, side, onAdd, onClose }: ColumnDialogProps) {
  const id = useId();
  const [name, setName] = useState('');
  const [isSent, setSent] = useState(false);
  const refusal = columnRefusal(table, side, name.trim());
  const isCondition = side === 'when';
  return (
    <Dialog
      title={isCondition ? 'Add a condition' : 'Add a result'}
      onClose={onClose}
      onSubmit={() => {
        setSent(true);
        if (refusal === null) onAdd(name.trim());
      }}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit">
            Add
          </Button>
        </>
      }
    >
      <div className="field">
        <label htmlFor={id}>{isCondition ? 'Field that it looks at' : 'Name of what it sets'}</label>
        <input
          id={id}
          className="in"
          value={name}
          aria-invalid={isSent && refusal !== null}
          aria-describedby={`${id}h`}
          onChange={(event) => setName(event.target.value)}
        />
        <p id={`${id}h`} className="help">
          {isCondition
            ? 'As the run’s data call it: amount, or customer.age for a field inside of another.'
            : 'The run’s data have it under this name afterwards.'}
        </p>
        {isSent && refusal !== null && <ProblemLine message={refusal} />}
      </div>
    </Dialog>
  );
}
