/* pages/builder/builder-bar.tsx — the bar of the builder: where it is saved, undo, the three views, problems, test, publish. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react';

import type { CheckProblem } from '../../api/drafts';
import { flowsAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Crumbs } from '../../ui/crumbs';
import { saySave } from '../../ui/draft-saver';
import { Icon, type IconName } from '../../ui/icon';
import { t } from '../../texts/builder';
import styles from './builder.module.css';
import { useBuilder } from './context';
import { ProblemList } from './problems';
import { Presence } from './presence';
import type { BuilderState } from './store';

const PublishDialog = lazy(() => import('./publish-dialog').then((it) => ({ default: it.PublishDialog })));

export type View = 'canvas' | 'outline' | 'text';

const VIEWS: readonly { readonly view: View; readonly word: string; readonly icon: IconName }[] = [
  { view: 'canvas', word: t.canvas, icon: 'flows' },
  { view: 'outline', word: t.outline, icon: 'runs' },
  { view: 'text', word: t.text, icon: 'file' },
];

interface BuilderBarProps {
  readonly name: string;
  readonly state: BuilderState;
  /** null: there is only one. */
  readonly view: View | null;
  readonly isTesting: boolean;
  readonly onView: (view: View) => void;
  readonly onTest: () => void;
  readonly onPick: (problem: CheckProblem) => void;
}

export function BuilderBar(props: BuilderBarProps) {
  const { name, state, view, isTesting, onView, onTest, onPick } = props;
  const { store, problems } = useBuilder();
  const [asking, setAsking] = useState<'problems' | 'publish' | null>(null);
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const next = state.version + 1;
  return (
    <Crumbs path={[{ word: t.flows, href: flowsAddress }]} here={name}>
      <div className={styles['bar']}>
        <span className="tag">{state.version === 0 ? t.draft : t.draftOfV(state.version)}</span>
        <span className={styles['saved']} role="status">
          {saySave(state.save)}
        </span>
        <Presence store={store} save={state.save} />
        <Button
          look="quiet"
          isSmall
          icon="undo"
          label={t.takeBackCtrlZ}
          disabled={state.history.past.length === 0}
          onClick={store.undo}
        />
        <Button
          look="quiet"
          isSmall
          icon="redo"
          label={t.doAgainCtrlShiftZ}
          disabled={state.history.future.length === 0}
          onClick={store.redo}
        />
        {view === null && <span className="grow" />}
        {view !== null && (
          <span className="seg" role="group" aria-label={t.view}>
            {VIEWS.map((each) => (
              <button
                key={each.view}
                type="button"
                aria-pressed={view === each.view}
                onClick={() => onView(each.view)}
              >
                <Icon name={each.icon} small />
                {each.word}
              </button>
            ))}
          </span>
        )}
        {problems.length > 0 && (
          <button
            type="button"
            className="btn"
            aria-expanded={asking === 'problems'}
            onClick={() => setAsking(asking === 'problems' ? null : 'problems')}
          >
            <span className={errors > 0 ? 'st failed' : 'st person'}>
              <Icon name="warn" />
              {t.nProblems(problems.length)}
            </span>
            <kbd>F8</kbd>
          </button>
        )}
        <Button icon="play" isPressed={isTesting} onClick={onTest}>
          {t.test}
        </Button>
        <Button look="primary" onClick={() => setAsking('publish')}>
          {t.publish(state.version === 0 ? '' : t.v(next))}
        </Button>
      </div>
      {asking === 'problems' && <ProblemPopover onClose={() => setAsking(null)} onPick={onPick} />}
      {asking === 'publish' && (
        <Suspense>
          <PublishDialog name={name} version={next} onPick={onPick} onClose={() => setAsking(null)} />
        </Suspense>
      )}
    </Crumbs>
  );
}

function ProblemPopover({
  onClose,
  onPick,
}: {
  readonly onClose: () => void;
  readonly onPick: (problem: CheckProblem) => void;
}) {
  const { problems } = useBuilder();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector('button')?.focus();
    const close = (event: Event) => {
      const isOutside =
        event instanceof PointerEvent &&
        event.target instanceof Node &&
        box.current?.contains(event.target) === false;
      if (isOutside || (event instanceof KeyboardEvent && event.key === 'Escape')) onClose();
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, [onClose]);
  useEffect(() => {
    if (problems.length === 0) onClose();
  }, [problems, onClose]);
  return (
    <div
      ref={box}
      className={`pop ${styles['popover'] ?? ''}`}
      role="dialog"
      aria-label={t.problems}
      style={{ right: 16, top: 52 }}
    >
      <ProblemList onPick={onPick} onLeave={onClose} />
    </div>
  );
}
