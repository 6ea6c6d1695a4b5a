/* pages/builder/find-step.tsx — finds a step by a part of its name, its id, or what stands below its name. Enter goes to the next one. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';

import { type Flow, nodesOf } from '../../flow/flow';
import type { NodeTypes } from '../../flow/data';
import { captionOf } from '../../flow/say';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { t } from '../../texts/builder';
import { useBuilder } from './context';
import styles from './canvas.module.css';

/** The steps that have the words, in the order of the document. */
export function findSteps(flow: Flow, types: NodeTypes, words: string): readonly string[] {
  const wanted = words.trim().toLocaleLowerCase();
  if (wanted === '') return [];
  return nodesOf(flow).flatMap((node) => {
    const said = [node.label, node.id, types.get(node.type)?.label ?? node.type, captionOf(node, types)];
    return said.some((word) => word.toLocaleLowerCase().includes(wanted)) ? [node.id] : [];
  });
}

export function FindStep({ onClose }: { readonly onClose: () => void }) {
  const { flow, types, selection, select } = useBuilder();
  const [words, setWords] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const found = findSteps(flow, types, words);
  const chosen = selection.kind === 'nodes' ? selection.ids[0] : undefined;
  const at = chosen === undefined ? -1 : found.indexOf(chosen);
  const go = (by: 1 | -1) => {
    const next = found[at < 0 && by < 0 ? found.length - 1 : (at + by + found.length) % found.length];
    if (next === undefined) {
      announce(t.noStepFound);
      return;
    }
    select({ kind: 'nodes', ids: [next] });
  };
  const type = (text: string) => {
    setWords(text);
    const [first] = findSteps(flow, types, text);
    if (first !== undefined) select({ kind: 'nodes', ids: [first] });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={`pop ${styles['find'] ?? ''}`} role="search">
      <input
        ref={field}
        className="in"
        aria-label={t.findAStep}
        placeholder={t.findAStep}
        value={words}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="dim s" role="status">
        {words.trim() === '' ? '' : found.length === 0 ? t.noStepFound : t.nthOf(at + 1, found.length)}
      </span>
      <Button isSmall look="quiet" icon="up" label={t.stepBefore2} onClick={() => go(-1)} />
      <Button isSmall look="quiet" icon="down" label={t.stepAfter} onClick={() => go(1)} />
      <Button isSmall look="quiet" icon="close" label={t.close} onClick={onClose} />
    </div>
  );
}
