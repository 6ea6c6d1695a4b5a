/* pages/builder/editor.tsx — the builder round one draft: bar, palette, the chosen view, panel, test. */
import { lazy, Suspense, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import type { CheckProblem } from '../../api/drafts';
import { readPart } from '../../flow/commands/paste';
import type { Selection } from '../../flow/command';
import { sayDifferences } from '../../flow/differences';
import { findNode, type Flow, isEndType, openValue, startsOf } from '../../flow/flow';
import { formatOf, isSteps } from '../../flow/format';
import { parseJson, textOf } from '../../flow/json';
import { stepTypes } from '../../flow/steps/types';
import type { NodeTable } from '../../flow/table';
import { flowsAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { isTyping, useKeys } from '../../ui/keys';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/builder';
import { sayProblem } from '../../texts/engine';
import { AddList } from './add-list';
import { BuilderBar, type View } from './builder-bar';
import styles from './builder.module.css';
import { Canvas } from './canvas';
import { LineTips } from './canvas-line';
import { type AddRequest, type Builder, BuilderContext } from './context';
import { newConfig } from './kinds';
import { later, loadLater } from './later';
import { LINE_POPOVER_ID } from './line-popover';
import { OtherView } from './other-view';
import { OutlineView } from './outline-view';
import { Palette } from './palette';
import { Panel, PANEL_ID } from './panel';
import { Part } from './part';
import { goToRegion } from './regions';
import type { Store } from './store';
import { NO_TEST, useTrial } from './use-trial';
import { canvasBindings } from './use-canvas-keys';
import { useChecks } from './use-checks';

const TestPanel = lazy(() => import('./test-panel').then((it) => ({ default: it.TestPanel })));
const TextView = lazy(() => import('./text-view').then((it) => ({ default: it.TextView })));
const FindStep = later(() => import('./find-step').then((it) => it.FindStep));
const FOCUSABLE = 'input:not([type=hidden]), select, textarea, [contenteditable], button';

function useView(): readonly [View, (view: View) => void] {
  const [here, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const asked = search.get('view');
  const view: View = asked === 'outline' || asked === 'text' ? asked : 'canvas';
  const show = (next: View) => {
    if (next === 'canvas') search.delete('view');
    else search.set('view', next);
    navigate(search.size === 0 ? here : `${here}?${search.toString()}`, { replace: true });
  };
  return [view, show];
}

/* `a` adds a step also where nothing has the focus: behind the chosen step, else behind the start. */
function placeAfter({
  flow,
  selection,
}: {
  readonly flow: Flow;
  readonly selection: Selection;
}): AddRequest['place'] {
  const id = (selection.kind === 'nodes' ? selection.ids[0] : undefined) ?? startsOf(flow)[0]?.id;
  const node = id === undefined ? undefined : findNode(flow, id);
  return node === undefined || isEndType(node.type)
    ? { kind: 'loose', at: null }
    : { kind: 'after', node: node.id };
}

interface EditorProps {
  readonly store: Store;
  readonly table: NodeTable;
}

export function Editor({ store, table }: EditorProps) {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const { flow, selection } = state.history.now;
  const types = formatOf(flow).types?.() ?? (isSteps(flow) ? stepTypes(table) : table.types);
  const name = textOf(flow['name']) || textOf(flow['entityName']) || store.id;
  useTitle(name);
  // When the first view is there.
  useEffect(() => {
    const timer = setTimeout(loadLater, 300);
    return () => clearTimeout(timer);
  }, []);
  const [view, show] = useView();
  const [adding, setAdding] = useState<AddRequest | null>(null);
  const [isTesting, setTesting] = useState(false);
  const [isText, setTextOnly] = useState(openValue(flow).kind === 'other');
  const [typed, setTyped] = useState<string | null>(null);
  const text = isText ? (typed ?? store.text()) : null;
  const problems = useChecks(flow, text);
  const trial = useTrial();
  const test = isTesting ? trial.result : NO_TEST;

  const problemsOf = useMemo(() => {
    const map = new Map<string, CheckProblem[]>();
    for (const problem of problems) {
      if (problem.nodeId === undefined) continue;
      const list = map.get(problem.nodeId);
      if (list === undefined) map.set(problem.nodeId, [problem]);
      else list.push(problem);
    }
    return map;
  }, [problems]);

  const [isFinding, setFinding] = useState(false);
  const openFind = useCallback(() => setFinding(true), []);
  const openPanel = useCallback(() => {
    requestAnimationFrame(() => {
      const place = document.getElementById(LINE_POPOVER_ID) ?? document.getElementById(PANEL_ID);
      const fields = place?.querySelectorAll<HTMLElement>(FOCUSABLE);
      const first = [...(fields ?? [])].find((field) => field.closest('header') === null) ?? fields?.[0];
      first?.focus();
    });
  }, []);

  const focusChosen = useCallback(() => {
    const focus = () => {
      const { selection: now } = store.get().history.now;
      const id = now.kind === 'nodes' ? now.ids[0] : undefined;
      const step =
        id === undefined
          ? null
          : document.querySelector<HTMLElement>(`[data-region] [data-id="${CSS.escape(id)}"]`);
      step?.focus();
      return step !== null;
    };
    // A step that is new is drawn with the next frame.
    if (focus()) return;
    requestAnimationFrame(() => {
      if (!focus())
        document
          .querySelector<HTMLElement>('[data-region="canvas"] [tabindex="0"], [role="tree"] [tabindex="0"]')
          ?.focus();
    });
  }, [store]);

  const builder: Builder = useMemo(
    () => ({
      store,
      flow,
      selection,
      types,
      table,
      problems,
      problemsOf,
      samples: test.samples,
      order: test.order,
      taken: test.taken,
      text,
      dispatch: store.dispatch,
      select: store.select,
      openAdd: setAdding,
      openPanel,
      openFind,
    }),
    [store, flow, selection, types, table, problems, problemsOf, test, text, openPanel, openFind],
  );

  const closeTest = () => {
    setTesting(false);
    focusChosen();
  };
  const closeAdd = useCallback(() => {
    setAdding((request) => {
      request?.opener?.focus();
      return null;
    });
  }, []);
  const pick = (type: string, by: 'pointer' | 'keys') => {
    if (adding === null) return;
    const isDone = store.dispatch({
      kind: 'addNode',
      type,
      label: types.get(type)?.label ?? type,
      config: newConfig(type),
      place: adding.place,
    });
    setAdding(null);
    if (!isDone) return;
    // Keys go on from step to step; a hand has left the keys, and comes back to fill in what is new.
    if (by === 'keys') focusChosen();
    else openPanel();
  };

  const [jump, setJump] = useState<CheckProblem | null>(null);
  const nextProblem = useCallback(() => {
    if (isText) {
      setJump((now) => problems[(problems.findIndex((each) => each === now) + 1) % problems.length] ?? null);
      return;
    }
    const withNode = problems.filter(
      (problem) => problem.nodeId !== undefined && findNode(flow, problem.nodeId) !== undefined,
    );
    if (withNode.length === 0) {
      const [first] = problems;
      announce(first === undefined ? t.noProblemFound : sayProblem(first.code) || first.message);
      return;
    }
    const now = selection.kind === 'nodes' ? selection.ids[0] : undefined;
    const at = withNode.findIndex((problem) => problem.nodeId === now);
    const next = withNode[(at + 1) % withNode.length];
    if (next?.nodeId === undefined) return;
    store.select({ kind: 'nodes', ids: [next.nodeId] });
    announce(sayProblem(next.code) || next.message);
    focusChosen();
  }, [problems, flow, selection, store, focusChosen, isText]);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (document.querySelector('dialog[open]') !== null) return;
      const isCtrl = event.ctrlKey || event.metaKey;
      const inText = event.target instanceof Element && event.target.shadowRoot !== null;
      if (event.key === 'F8') nextProblem();
      else if (event.key === 'F6') goToRegion(event.shiftKey ? 'before' : 'next');
      else if (
        event.target === document.body &&
        event.key.toLowerCase() === 'a' &&
        !isCtrl &&
        !event.altKey &&
        !isText
      )
        setAdding({ place: placeAfter(store.get().history.now), at: null, opener: null });
      else if (
        event.key === 'Escape' &&
        event.target instanceof Element &&
        event.target.closest(`#${PANEL_ID}`) !== null
      )
        focusChosen();
      else if (isCtrl && !inText && event.key.toLowerCase() === 'z' && !event.shiftKey) store.undo();
      else if (
        isCtrl &&
        !inText &&
        (event.key.toLowerCase() === 'y' || (event.key.toLowerCase() === 'z' && event.shiftKey))
      )
        store.redo();
      else if (isCtrl && !inText && !isText && event.key === 'f') openFind();
      else if (isCtrl && event.key === 's') void store.saveNow();
      else return;
      event.preventDefault();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (isTyping(event.target) || (event.target instanceof Element && event.target.shadowRoot !== null))
        return;
      const outcome = parseJson(event.clipboardData?.getData('text/plain') ?? '');
      const part = outcome.ok ? readPart(outcome.value) : null;
      if (part === null) return;
      event.preventDefault();
      store.dispatch({ kind: 'paste', ...part });
    };
    const onLeave = (event: BeforeUnloadEvent) => {
      const { kind } = store.get().save;
      if (kind === 'saved') return;
      void store.saveNow();
      if (kind !== 'dirty') event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    document.addEventListener('paste', onPaste);
    window.addEventListener('beforeunload', onLeave);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      document.removeEventListener('paste', onPaste);
      window.removeEventListener('beforeunload', onLeave);
    };
  }, [store, nextProblem, focusChosen, openFind, isText]);
  useEffect(() => () => void store.saveNow(), [store]);

  const keys = useMemo(
    () => [
      ...canvasBindings,
      { key: 'Escape', says: t.fromThePanelBack },
      { key: 'F8', says: t.nextProblem },
      { key: 'f', shown: 'Ctrl F', says: t.findAStep },
      { key: 'F6', says: t.nextPartOfThePage },
      { key: 'F6', shown: 'Shift F6', says: t.partOfThePageBefore },
      { key: 'z', shown: 'Ctrl Z', says: t.takeBackCtrlShiftZ },
      { key: 'v', shown: 'Ctrl V', says: t.pasteSteps },
      { key: 't', says: t.test, run: () => setTesting(true) },
    ],
    [],
  );
  useKeys(t.builder, keys);

  return (
    <BuilderContext value={builder}>
      <LineTips />
      <BuilderBar
        name={name}
        state={state}
        view={isText ? null : view}
        onView={show}
        isTesting={isTesting}
        onTest={() => setTesting(!isTesting)}
        onPick={(problem) => {
          if (isText) setJump(problem);
          else if (problem.nodeId === undefined) nextProblem();
          else store.select({ kind: 'nodes', ids: [problem.nodeId] });
        }}
      />
      <h1 className="sr">{name}</h1>
      <div className={`bleed ${styles['narrow'] ?? ''}`}>
        <p>
          <b>{t.theBuilderWantsAWider}</b>
        </p>
        <p className="mid">{t.turnThePhone}</p>
        <Link className="link" href={flowsAddress}>
          {t.allFlows}
        </Link>
      </div>
      {isText ? (
        <div className={`bleed ${styles['build'] ?? ''}`} data-look="text">
          <OtherView
            name={name}
            text={text ?? ''}
            jump={jump}
            onText={setTyped}
            onCanvas={() => {
              setTextOnly(false);
              show('canvas');
            }}
          />
          {isTesting && (
            <Suspense fallback={<div className={styles['testing']} aria-busy="true" />}>
              <TestPanel trial={trial} onClose={closeTest} />
            </Suspense>
          )}
          <Banner store={store} view="text" onText={() => undefined} isCalm />
        </div>
      ) : (
        <div className={`bleed ${styles['build'] ?? ''}`}>
          <Palette />
          <div className={styles['stage']}>
            <Part what={t.thisView} key={view}>
              {view === 'canvas' && <Canvas />}
              {view === 'outline' && <OutlineView />}
              {view === 'text' && (
                <Suspense fallback={null}>
                  <TextView
                    flow={flow}
                    broken={state.broken}
                    problems={problems}
                    onFlow={(next) =>
                      store.dispatch({ kind: 'replaceDocument', flow: next, says: t.changedTheText }, 'text')
                    }
                    onBroken={store.setBroken}
                  />
                </Suspense>
              )}
            </Part>
            {isFinding && view !== 'text' && (
              <FindStep
                onClose={() => {
                  setFinding(false);
                  focusChosen();
                }}
              />
            )}
            <Banner store={store} view={view} onText={() => show('text')} />
          </div>
          <Part what={t.thisPanel}>
            <Panel hasPopover={view === 'canvas'} />
          </Part>
          {isTesting && (
            <Suspense fallback={<div className={styles['testing']} aria-busy="true" />}>
              <TestPanel trial={trial} onClose={closeTest} />
            </Suspense>
          )}
        </div>
      )}
      {adding !== null && (
        <AddList request={adding} flow={flow} types={types} onPick={pick} onClose={closeAdd} />
      )}
    </BuilderContext>
  );
}

/* The banner over the views when something needs a person: a conflict, a text with a mistake, an engine that is away. */
function Banner({
  store,
  view,
  onText,
  isCalm = false,
}: {
  readonly store: Store;
  readonly view: View;
  readonly onText: () => void;
  /** Mistakes of the text are marked where they are. */
  readonly isCalm?: boolean;
}) {
  const { save, broken, history, news } = useSyncExternalStore(store.subscribe, store.get);
  if (save.kind === 'conflict') {
    const opened = openValue(save.theirs.document);
    const who = save.theirs.author === '' ? t.somebodyElse : save.theirs.author;
    const differences = opened.kind === 'flow' ? sayDifferences(history.now.flow, opened.flow) : [];
    return (
      <div className={styles['banner']} role="alertdialog" aria-label={t.somebodyElseChanged}>
        <p>{t.whileYouDidNothing(<b>{t.changedThisFlow(<bdi>{who}</bdi>)}</b>, differences.join(' '))}</p>
        <Button isSmall onClick={() => store.resolve('theirs')}>
          {t.takeTheirs}
        </Button>
        <Button isSmall look="primary" onClick={() => store.resolve('mine')}>
          {t.keepMine}
        </Button>
      </div>
    );
  }
  if (news !== null)
    return (
      <div className={styles['banner']} role="status">
        <p>
          {t.somebodyChanged(<bdi>{news.who === '' ? t.somebodyElse : news.who}</bdi>, news.words.join(' '))}
        </p>
        <Button
          isSmall
          onClick={() => {
            store.undo();
            store.forgetNews();
          }}
        >
          {t.takeBack}
        </Button>
        <Button isSmall look="primary" onClick={store.forgetNews}>
          {t.fine}
        </Button>
      </div>
    );
  if (broken !== null && !isCalm)
    return (
      <div className={styles['banner']} role="status" data-look={view === 'text' ? 'calm' : undefined}>
        <p>
          {view === 'text' ? '' : t.theTextHasAMistake}
          {broken.why}
        </p>
        {view !== 'text' && (
          <Button isSmall onClick={onText}>
            {t.showTheText}
          </Button>
        )}
      </div>
    );
  if (save.kind === 'refused')
    return (
      <div className={styles['banner']} role="alert">
        <p>{t.theDraftCould(save.why)}</p>
        <Button isSmall onClick={() => void store.saveNow()}>
          {t.tryAgain}
        </Button>
      </div>
    );
  return null;
}
