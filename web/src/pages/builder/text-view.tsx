/* pages/builder/text-view.tsx — the document as text, in CodeMirror. It stands in a shadow root: our policy refuses the styles that
 * CodeMirror would put into the page. While the text is no flow, the last good one stays, and the page says where the mistake is. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentUnit, syntaxTree } from '@codemirror/language';
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
import styles from './builder.module.css';

interface TextViewProps {
  readonly flow: Flow;
  readonly broken: { readonly text: string; readonly why: string } | null;
  readonly problems: readonly CheckProblem[];
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

function diagnosticsOf(state: EditorState, problems: readonly CheckProblem[]): Diagnostic[] {
  return problems
    .filter(({ line }) => line >= 1 && line <= state.doc.lines)
    .map(({ line, column, severity, message }) => {
      const from = Math.min(state.doc.line(line).from + Math.max(0, column - 1), state.doc.line(line).to);
      return {
        from,
        to: Math.min(from + 1, state.doc.length),
        severity: severity === 'error' ? 'error' : 'warning',
        message,
      };
    });
}

export function TextView({ flow, broken, problems, onFlow, onBroken }: TextViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  /* The document that the text in the editor stands for. */
  const shown = useRef<Flow | null>(null);
  const calls = useRef({ onFlow, onBroken });
  useEffect(() => {
    calls.current = { onFlow, onBroken };
  });
  const first = useRef({ flow, broken });

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    shown.current = first.current.flow;
    const read = (text: string) => {
      const opened = parseFlow(text);
      if (opened.kind === 'flow') {
        shown.current = opened.flow;
        calls.current.onBroken(null);
        calls.current.onFlow(opened.flow);
      } else calls.current.onBroken({ text, why: opened.why });
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
          EditorView.contentAttributes.of({ 'aria-label': 'Text of the flow', tabindex: '0' }),
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
    const now = parseFlow(view.state.doc.toString());
    const text = printFlow(flow);
    shown.current = flow;
    if (now.kind === 'flow' && printFlow(now.flow) === text) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, [flow, broken]);

  useEffect(() => {
    const view = editor.current;
    if (view !== null)
      view.dispatch(setDiagnostics(view.state, broken === null ? diagnosticsOf(view.state, problems) : []));
  }, [problems, broken]);

  return (
    <div className={styles['text']} data-region="text">
      <div ref={host} className={styles['editor']} />
    </div>
  );
}
