/* pages/builder/pill-text.tsx — a text with pills: what earlier steps give stands in it by name, never as a placeholder.
 *
 * The browser edits the text; we only read it back. The element's content is written when the value comes from elsewhere
 * (undo, another step), and otherwise left alone, so that the caret stays. */
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';

import { type DataItem, dataAt, labelPath, tellApart } from '../../flow/data';
import { type Flow } from '../../flow/flow';
import { parseTemplate, type Part, type Path, pillOf, printTemplate, readInner } from '../../flow/template';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';
import { useBuilder } from './context';
import { lookOfType } from './kinds';
import { DataList } from './data-list';
import styles from './pill-text.module.css';

interface PillTextProps {
  readonly id?: string;
  readonly label: string;
  readonly value: string;
  readonly nodeId: string;
  readonly isLong?: boolean;
  readonly placeholder?: string;
  readonly onChange: (value: string) => void;
}

/** The field that a pill from "You can use" goes into: the last one that had the focus. */
let lastField: { readonly element: HTMLElement; readonly insert: (path: Path) => void } | null = null;

export function insertIntoLast(path: Path): boolean {
  if (lastField === null || !lastField.element.isConnected) return false;
  lastField.insert(path);
  return true;
}

function readParts(root: HTMLElement): readonly Part[] {
  const parts: Part[] = [];
  const text = (value: string) => {
    const last = parts.at(-1);
    if (last?.kind === 'text') parts[parts.length - 1] = { kind: 'text', text: last.text + value };
    else if (value !== '') parts.push({ kind: 'text', text: value });
  };
  const read = (node: Node) => {
    if (node instanceof HTMLElement && node.dataset['raw'] !== undefined)
      parts.push({ kind: 'broken', raw: node.dataset['raw'] });
    else if (node instanceof HTMLElement && node.dataset['inner'] !== undefined)
      parts.push({ kind: 'pill', inner: node.dataset['inner'] });
    else if (node instanceof HTMLBRElement) text('\n');
    else if (node.nodeType === Node.TEXT_NODE) text((node.textContent ?? '').replaceAll('\u200b', ''));
    else node.childNodes.forEach(read);
  };
  root.childNodes.forEach(read);
  return parts;
}

/* A text that ends in a line break has a <br> behind it in every browser; it is no part of the text. */
function readValue(root: HTMLElement, isLong: boolean): string {
  const parts = readParts(root);
  const printed = printTemplate(parts);
  return isLong
    ? root.lastChild instanceof HTMLBRElement
      ? printed.replace(/\n$/, '')
      : printed
    : printed.replaceAll('\n', ' ');
}

function makePill(inner: string, flow: Flow, types: Parameters<typeof labelPath>[2]): HTMLElement {
  const read = readInner(inner);
  const { label, nodeType } =
    read === null ? { label: inner.trim(), nodeType: 'set_variables' } : labelPath(flow, read.path, types);
  const pill = document.createElement('span');
  pill.className = 'data';
  pill.contentEditable = 'false';
  pill.dataset['inner'] = inner;
  pill.dataset['colour'] = lookOfType(nodeType).colour;
  pill.textContent = label;
  return pill;
}

function write(root: HTMLElement, value: string, flow: Flow, types: Parameters<typeof labelPath>[2]): void {
  const nodes = parseTemplate(value).map((part): Node => {
    if (part.kind === 'text') return document.createTextNode(part.text);
    if (part.kind === 'pill') return makePill(part.inner, flow, types);
    const broken = document.createElement('span');
    broken.contentEditable = 'false';
    broken.dataset['raw'] = part.raw;
    broken.textContent = part.raw;
    return broken;
  });
  // A caret behind the last pill needs a text to stand in.
  if (nodes.length > 0 && nodes.at(-1)?.nodeType !== Node.TEXT_NODE)
    nodes.push(document.createTextNode('\u200b'));
  root.replaceChildren(...nodes);
}

export function PillText({ id, label, value, nodeId, isLong = false, placeholder, onChange }: PillTextProps) {
  const { flow, types } = useBuilder();
  const box = useRef<HTMLDivElement>(null);
  const written = useRef<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const listId = useId();
  const items = useMemo(() => dataAt(flow, nodeId, types), [flow, nodeId, types]);
  const names = useMemo(() => items.map((item) => tellApart(flow, item, items)).join('\n'), [flow, items]);
  const named = useRef(names);

  useLayoutEffect(() => {
    const root = box.current;
    if (root === null || (written.current === value && named.current === names)) return;
    if (written.current === value && document.activeElement === root) return;
    write(root, value, flow, types);
    written.current = value;
    named.current = names;
  }, [value, flow, types, names]);

  const emit = () => {
    const root = box.current;
    if (root === null) return;
    const next = readValue(root, isLong);
    written.current = next;
    onChange(next);
  };
  const insert = (path: Path) => {
    const root = box.current;
    const part = pillOf(path);
    if (root === null || part.kind !== 'pill') return;
    const pill = makePill(part.inner, flow, types);
    const after = document.createTextNode('\u200b');
    const selection = document.getSelection();
    const range = selection !== null && selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
    if (range !== null && root.contains(range.commonAncestorContainer)) {
      range.deleteContents();
      range.insertNode(after);
      range.insertNode(pill);
    } else root.append(pill, after);
    root.focus();
    selection?.collapse(after, 1);
    emit();
  };
  const insertLatest = useRef(insert);
  useEffect(() => {
    insertLatest.current = insert;
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !isLong) event.preventDefault();
    if ((event.key === ' ' && event.ctrlKey) || (event.key === 'ArrowDown' && event.altKey)) {
      event.preventDefault();
      setOpen(true);
    }
  };
  return (
    <div className={styles['field']}>
      <div
        ref={box}
        id={id}
        className={`in ${styles['box'] ?? ''}`}
        data-long={isLong}
        data-empty={value === ''}
        data-placeholder={placeholder}
        contentEditable="plaintext-only"
        suppressContentEditableWarning
        role="textbox"
        tabIndex={0}
        aria-multiline={isLong}
        aria-label={label}
        spellCheck
        onInput={emit}
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          lastField = { element: event.currentTarget, insert: (path) => insertLatest.current(path) };
        }}
      />
      <button
        type="button"
        className={styles['pick']}
        aria-label={t.insertAValueInto(label)}
        title={t.insertAValue}
        aria-expanded={isOpen}
        aria-controls={listId}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="plus" small />
      </button>
      {isOpen && (
        <DataList
          id={listId}
          items={items}
          onPick={(item: DataItem) => {
            setOpen(false);
            box.current?.focus();
            insert(item.path);
          }}
          onClose={() => {
            setOpen(false);
            box.current?.focus();
          }}
        />
      )}
    </div>
  );
}
