/* pages/builder/text-view.tsx — the document as text, in CodeMirror. It stands in a shadow root: our policy refuses the styles that
 * CodeMirror would put into the page. While the text is no flow, the last good one stays, and the page says where the mistake is. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, ensureSyntaxTree, indentUnit, syntaxTree } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';

import type { CheckProblem } from '../../api/drafts';
import { type Flow, parseFlow, printFlow } from '../../flow/flow';
import { isObject } from '../../flow/json';
import { announce } from '../../ui/announce';
import { t } from '../../texts/builder';
import { sayProblem } from '../../texts/engine';
import styles from './builder.module.css';

interface TextViewProps {
  readonly flow: Flow;
  readonly broken: { readonly text: string; readonly why: string } | null;
  readonly problems: readonly CheckProblem[];
  /** It may be a document of any family, and its problems are shown also while it is no JSON. */
  readonly isAny?: boolean;
  /** The name of a step to show; it is looked for as the text has it. */
  readonly reveal?: string | null;
  /** A problem to go to. */
  readonly jump?: CheckProblem | null;
  readonly onText?: (text: string) => void;
  readonly onFlow: (flow: Flow) => void;
  readonly onBroken: (broken: { readonly text: string; readonly why: string } | null) => void;
}

const LOOK = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '12px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface-2)',
    color: 'var(--ink-3)',
    border: 'none',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--accent-soft)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--a3)',
  },
  '.of-PropertyName': { color: 'var(--running-ink)' },
  '.of-String': { color: 'var(--done-ink)' },
  '.of-Number, .of-True, .of-False, .of-Null': { color: 'var(--waiting-ink)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line-2)' },
});
/* Colours by the names of the grammar's nodes. */
const MARKS = new Map(
  ['PropertyName', 'String', 'Number', 'True', 'False', 'Null'].map((name) => [
    name,
    Decoration.mark({ class: `of-${name}` }),
  ]),
);

function coloursOf(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges)
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: ({ name, from: start, to: end }) => {
        const mark = MARKS.get(name);
        if (mark !== undefined) builder.add(start, end, mark);
      },
    });
  return builder.finish();
}

const COLOURS = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = coloursOf(view);
    }
    update(update: ViewUpdate) {
      if (
        update.docChanged ||
        update.viewportChanged ||
        syntaxTree(update.startState) !== syntaxTree(update.state)
      )
        this.decorations = coloursOf(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

const NAMES = /~[01]/g;
const PARSE_MAX_MS = 50;

/* Where in the text a JSON Pointer leads to. The text is the person's own: lines of the engine are those of what it was sent. */
function placeOf(state: EditorState, pointer: string): { readonly from: number; readonly to: number } | null {
  let node = (ensureSyntaxTree(state, state.doc.length, PARSE_MAX_MS) ?? syntaxTree(state)).topNode
    .firstChild;
  const path = pointer === '' ? [] : pointer.slice(1).split('/');
  for (const name of path.map((each) => each.replace(NAMES, (escape) => (escape === '~1' ? '/' : '~')))) {
    if (node?.name === 'Array') {
      const items: (typeof node)[] = [];
      for (let item = node.firstChild; item !== null; item = item.nextSibling)
        if (item.name !== '[' && item.name !== ']' && item.name !== ',') items.push(item);
      node = items[Number(name)] ?? null;
    } else if (node?.name === 'Object') {
      const quoted = JSON.stringify(name);
      const member = node
        .getChildren('Property')
        .find((each) => state.sliceDoc(each.firstChild?.from, each.firstChild?.to) === quoted);
      node = member?.lastChild ?? null;
    } else return null;
  }
  return node === null ? null : { from: node.from, to: node.to };
}

function diagnosticsOf(state: EditorState, problems: readonly CheckProblem[]): Diagnostic[] {
  return problems
    .filter(({ line, pointer }) => (line >= 1 && line <= state.doc.lines) || placeOf(state, pointer) !== null)
    .map(({ line, column, severity, code, message, pointer }) => {
      const place = placeOf(state, pointer);
      const from =
        place?.from ?? Math.min(state.doc.line(line).from + Math.max(0, column - 1), state.doc.line(line).to);
      return {
        from,
        to: Math.max(Math.min(place?.to ?? from + 1, state.doc.lineAt(from).to), from),
        severity: severity === 'error' ? 'error' : 'warning',
        message: sayProblem(code) === '' ? message : `${sayProblem(code)} (${message})`,
      };
    });
}

/* The document that a text is; null: it is none, or none that the canvas can edit. */
function flowIn(opened: ReturnType<typeof parseFlow>, isAny: boolean): Flow | null {
  if (opened.kind === 'flow') return opened.flow;
  return isAny && opened.kind === 'other' && isObject(opened.value) ? opened.value : null;
}

export function TextView(props: TextViewProps) {
  const { flow, broken, problems, isAny = false, reveal = null, jump = null } = props;
  const { onFlow, onBroken, onText } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  /* The document that the text in the editor stands for. */
  const shown = useRef<Flow | null>(null);
  const calls = useRef({ onFlow, onBroken, onText, isAny });
  useEffect(() => {
    calls.current = { onFlow, onBroken, onText, isAny };
  });
  const first = useRef({ flow, broken });

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    shown.current = first.current.flow;
    const read = (text: string) => {
      const opened = parseFlow(text);
      const next = flowIn(opened, calls.current.isAny);
      calls.current.onText?.(text);
      if (next !== null) {
        shown.current = next;
        calls.current.onBroken(null);
        calls.current.onFlow(next);
      } else calls.current.onBroken({ text, why: opened.kind === 'flow' ? '' : opened.why });
    };
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current.broken?.text ?? printFlow(first.current.flow),
        extensions: [
          lineNumbers(),
          history(),
          lintGutter(),
          json(),
          bracketMatching(),
          indentUnit.of('  '),
          highlightActiveLine(),
          COLOURS,
          keymap.of([
            { key: 'Escape', run: (target) => (target.contentDOM.blur(), true) },
            ...defaultKeymap,
            ...historyKeymap,
            indentWithTab,
          ]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': t.textOfTheFlow, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (
              update.docChanged &&
              update.transactions.some(
                (each) =>
                  each.isUserEvent('input') ||
                  each.isUserEvent('delete') ||
                  each.isUserEvent('undo') ||
                  each.isUserEvent('redo') ||
                  each.isUserEvent('move'),
              )
            )
              read(update.state.doc.toString());
          }),
          LOOK,
        ],
      }),
    });
    editor.current = view;
    return () => {
      view.destroy();
      editor.current = null;
    };
  }, []);

  // A change from elsewhere (undo, a fix) comes into the text.
  useEffect(() => {
    const view = editor.current;
    if (view === null || broken !== null || shown.current === flow) return;
    const now = flowIn(parseFlow(view.state.doc.toString()), isAny);
    const text = printFlow(flow);
    shown.current = flow;
    if (now !== null && printFlow(now) === text) return;
    calls.current.onText?.(text);
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, [flow, broken, isAny]);

  useEffect(() => {
    const view = editor.current;
    const shows = broken === null || isAny;
    if (view !== null)
      view.dispatch(setDiagnostics(view.state, shows ? diagnosticsOf(view.state, problems) : []));
  }, [problems, broken, isAny]);

  useEffect(() => {
    const view = editor.current;
    const [place] = view === null || jump === null ? [] : diagnosticsOf(view.state, [jump]);
    if (view === null || place === undefined) return;
    view.dispatch({
      selection: { anchor: place.from, head: place.to },
      effects: EditorView.scrollIntoView(place.from, { y: 'center' }),
    });
    view.focus();
    announce(place.message);
  }, [jump]);

  useEffect(() => {
    const view = editor.current;
    const at =
      view === null || reveal === null ? -1 : view.state.doc.toString().indexOf(JSON.stringify(reveal));
    if (view === null || at < 0) return;
    view.dispatch({
      selection: { anchor: at },
      effects: EditorView.scrollIntoView(at, { y: 'center' }),
    });
  }, [reveal]);

  return (
    <div className={styles['text']} data-region="text">
      <div ref={host} className={styles['editor']} />
    </div>
  );
}
