/* pages/tables/column-dialog.tsx — asks what a new column is about. */
import { useId, useState } from 'react';

import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { ProblemLine } from '../../ui/form/form-fields';
import { t } from '../../texts/tables';
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
      title={isCondition ? t.addACondition : t.addAResult}
      onClose={onClose}
      onSubmit={() => {
        setSent(true);
        if (refusal === null) onAdd(name.trim());
      }}
      footer={
        <>
          <Button onClick={onClose}>{t.back}</Button>
          <Button look="primary" type="submit">
            {t.add}
          </Button>
        </>
      }
    >
      <div className="field">
        <label htmlFor={id}>{isCondition ? t.fieldThatItLooks : t.nameOfWhatItSets}</label>
        <input
          id={id}
          className="in"
          value={name}
          aria-invalid={isSent && refusal !== null}
          aria-describedby={`${id}h`}
          onChange={(event) => setName(event.target.value)}
        />
        <p id={`${id}h`} className="help">
          {isCondition ? t.asTheRunsDataCall : t.theRunsData}
        </p>
        {isSent && refusal !== null && <ProblemLine message={refusal} />}
      </div>
    </Dialog>
  );
}
