/* pages/runs/signal-step.tsx — which step the signal is for: one of those of the flow's picture that wait for a signal. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';

import { definitionNamesQuery } from '../../api/definitions';
import { type PictureNode, pictureQuery } from '../../api/pictures';
import { Failed } from '../../ui/failed';
import { PictureView } from '../../ui/picture-view';
import { Skeleton } from '../../ui/skeleton';
import { t } from '../../texts/runs';
import styles from './runs.module.css';

export const isSignalStep = (node: Pick<PictureNode, 'kind'>) => node.kind === 'signal';

interface FlowChoiceProps {
  /** Flows of the runs that were chosen; empty: any. */
  readonly ids: readonly string[];
  readonly value: string;
  readonly onChange: (definitionId: string) => void;
}

/** A signal is for a step, and a step is one of a flow. */
export function FlowChoice({ ids, value, onChange }: FlowChoiceProps) {
  const names = useQuery(definitionNamesQuery());
  const id = useId();
  const known = names.data?.items.filter((each) => ids.length === 0 || ids.includes(each.id)) ?? [];
  return (
    <section>
      <div className="field">
        <label htmlFor={id}>{t.flow}</label>
        <select id={id} className="in" value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{t.chooseAFlow}</option>
          {known.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </select>
      </div>
    </section>
  );
}

interface SignalStepProps {
  readonly definitionId: string;
  readonly version: number | 'latest';
  readonly step: string;
  readonly onChoose: (step: string) => void;
}

export function SignalStep({ definitionId, version, step, onChoose }: SignalStepProps) {
  const picture = useQuery(pictureQuery(definitionId, version));
  const name = useId();
  if (picture.isPending) return <Skeleton lines={4} />;
  if (picture.isError)
    return <Failed problem={picture.error} onRetry={picture.refetch} what={t.thePicture} />;
  const steps = picture.data.nodes.filter(isSignalStep);
  if (steps.length === 0)
    return (
      <section>
        <p className="mid">{t.noStepOfThisFlow}</p>
      </section>
    );
  return (
    <section>
      <fieldset className={styles['steps']}>
        <legend className="label">{t.theStepThatWaits}</legend>
        {steps.map((node) => (
          <label key={node.id}>
            <input
              type="radio"
              className="radio"
              name={name}
              checked={node.id === step}
              onChange={() => onChoose(node.id)}
            />
            <span className="cut" dir="auto">
              {node.title}
            </span>
          </label>
        ))}
      </fieldset>
      <div className={styles['pick']}>
        <PictureView
          picture={picture.data}
          label={t.pictureOfTheFlowSteps}
          selected={step === '' ? null : step}
          onSelect={onChoose}
          isChoosable={isSignalStep}
          showFirst={step === '' ? (steps[0]?.id ?? null) : step}
        />
      </div>
    </section>
  );
}
