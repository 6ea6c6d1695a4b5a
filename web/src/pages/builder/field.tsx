/* pages/builder/field.tsx — a field of a panel: its name, its control, a line of help. */
import type { ReactNode } from 'react';

import type { NodeParam } from '../../flow/data';
import type { FlowNode } from '../../flow/flow';
import type { Json } from '../../flow/json';

export interface ControlProps {
  readonly node: FlowNode;
  readonly param: NodeParam;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined, isTyping?: boolean) => void;
}

export function Field({
  label,
  help,
  children,
  name,
}: {
  readonly label: string;
  readonly help?: string;
  readonly children: ReactNode;
  readonly name?: string;
}) {
  return (
    <div className="field" data-field={name}>
      <span className="label">{label}</span>
      {children}
      {help !== undefined && help !== '' && <span className="help">{help}</span>}
    </div>
  );
}
