/* pages/builder/test-panel.tsx — a test of the flow as it stands: no e-mail, no call, days pass at once. Left what goes in and what
 * people answer, in the middle every step on the test's own clock, right what went in and out of the chosen step. */
import { useEffect, useRef, useState } from 'react';

import { findNode } from '../../flow/flow';
import { isList, isObject, type Json } from '../../flow/json';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { useKept } from '../../ui/use-kept';
import { t } from '../../texts/trial';
import { useBuilder } from './context';
import { Asked } from './test-asked';
import styles from './test-panel.module.css';
import { NO_PLAN, requestOf, type TestPlan } from './test-plan';
import { StepDetail, StepList } from './test-steps';
import type { Trial } from './use-trial';

/* A plan that an older page kept lacks what is new. */
function readPlan(kept: unknown): TestPlan {
  const value = kept as Json | undefined;
  if (!isObject(value) || !isObject(value['inputs']) || !isObject(value['rounds'])) return NO_PLAN;
  return isList(value['fails']) && isObject(value['pins'])
    ? { ...NO_PLAN, ...(value as unknown as TestPlan) }
    : NO_PLAN;
}

export function TestPanel({ trial, onClose }: { readonly trial: Trial; readonly onClose: () => void }) {
  const { flow, store, text } = useBuilder();
  const [plan, setPlan] = useKept(`test:${store.id}`, readPlan);
  const [chosen, setChosen] = useState<number | null>(null);
  const runButton = useRef<HTMLButtonElement>(null);
  useEffect(() => runButton.current?.focus(), []);
  const { result } = trial;
  const documentNow = () =>
    text === null ? { document: store.get().history.now.flow } : { text: store.text() };
  const run = (with_: TestPlan = plan) => {
    setChosen(null);
    void trial.run({ ...documentNow(), ...requestOf(flow, with_) });
  };
  const isOld = trial.isOld({ ...documentNow(), ...requestOf(flow, plan) });
  const step = result.steps.find((each) => each.n === chosen) ?? result.steps.at(-1);
  return (
    <section className={styles['drawer']} aria-label={t.test} data-region="test">
      <header>
        <h2>{t.test}</h2>
        {isOld ? (
          <span className="st pill waiting" role="status">
            <Icon name="waiting" />
            {t.anOldResultSomething}
          </span>
        ) : (
          <Outcome trial={trial} />
        )}
        <span className="dim s cut grow">{t.nothingLeavesTheEngineNo}</span>
        <Button
          ref={runButton}
          isSmall
          look={result.state === 'none' || isOld ? 'primary' : 'plain'}
          icon="play"
          isBusy={result.state === 'running'}
          onClick={() => run()}
        >
          {result.state === 'none' ? t.runTheTest : t.runAgain}
        </Button>
        {result.scenario !== undefined && !isOld && (
          <Button isSmall onClick={() => keepFile(store.id, result.scenario)}>
            {t.keepAsATest}
          </Button>
        )}
        <Button isSmall look="quiet" icon="down" label={t.closeTheTest} onClick={onClose} />
      </header>
      <div className={styles['cols']} data-old={isOld || undefined}>
        <div>
          <Asked plan={plan} onPlan={setPlan} onRun={run} />
        </div>
        <div>
          {(result.state === 'failed' || (result.status === 'stopped' && result.reason !== '')) && (
            <p className="st failed" role="alert">
              <Icon name="failed" />
              {result.reason}
            </p>
          )}
          {result.state === 'none' && <p className="help">{t.runTheTestToSee}</p>}
          <StepList steps={result.steps} chosen={step?.n ?? null} onChoose={setChosen} />
        </div>
        <div>
          {step !== undefined && (
            <StepDetail step={step} pins={plan.pins} onPins={(pins) => setPlan({ ...plan, pins })} />
          )}
        </div>
      </div>
    </section>
  );
}

function keepFile(id: string, scenario: Json | undefined): void {
  const url = URL.createObjectURL(
    new Blob([`${JSON.stringify(scenario, null, 2)}\n`], { type: 'application/json' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = `${id}.scenario.json`;
  link.click();
  URL.revokeObjectURL(url);
}

function Outcome({ trial }: { readonly trial: Trial }) {
  const { result } = trial;
  const { flow } = useBuilder();
  if (result.state !== 'done') return null;
  const isGood = result.status === 'completed';
  const last = result.steps.at(-1);
  const name = last === undefined ? '' : findNode(flow, last.node)?.label || last.title;
  return (
    <span
      className={`st pill ${isGood ? 'done' : result.status === 'failed' ? 'failed' : 'waiting'}`}
      role="status"
    >
      <Icon name={isGood ? 'done' : result.status === 'failed' ? 'failed' : 'waiting'} />
      {isGood
        ? t.reached(name)
        : result.status === 'failed'
          ? t.failedAt(name)
          : result.status === 'stopped'
            ? t.stoppedAt(name)
            : t.waitsAt(name)}
    </span>
  );
}
