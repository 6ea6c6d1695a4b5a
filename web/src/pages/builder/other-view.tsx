/* pages/builder/other-view.tsx — a flow that only its text can change: of another family, or too broken for the canvas. The engine's
 * picture stands beside the text and follows it; what is wrong is marked in both. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';

import type { CheckProblem } from '../../api/drafts';
import { drawText, type Picture } from '../../api/pictures';
import { openValue } from '../../flow/flow';
import { Button } from '../../ui/button';
import { PictureView } from '../../ui/picture-view';
import { Skeleton } from '../../ui/skeleton';
import { t } from '../../texts/builder';
import styles from './builder.module.css';
import { useBuilder } from './context';
import { Part } from './part';

const TextView = lazy(() => import('./text-view').then((it) => ({ default: it.TextView })));
const AFTER_MS = 350;

/* The text, a moment after the last key. */
function useCalm(text: string): string {
  const [calm, setCalm] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(text), AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return calm;
}

interface OtherViewProps {
  readonly name: string;
  readonly text: string;
  /** The problem to show in the text. */
  readonly jump: CheckProblem | null;
  readonly onText: (text: string) => void;
  readonly onCanvas: () => void;
}

export function OtherView({ name, text, jump, onText, onCanvas }: OtherViewProps) {
  const { store, flow, problems, dispatch } = useBuilder();
  const { broken } = store.get();
  const [chosen, setChosen] = useState<string | null>(null);
  const [title, setTitle] = useState<string | null>(null);
  const opened = openValue(flow);
  return (
    <>
      <div className={styles['picture']} data-region="picture">
        <Part what={t.thisPicture}>
          <LivePicture
            name={name}
            text={text}
            chosen={chosen}
            onChoose={(node) => {
              setChosen(node.id);
              setTitle(node.title);
            }}
          />
        </Part>
      </div>
      <div className={styles['stage']}>
        <Part what={t.thisView}>
          <Suspense fallback={null}>
            <TextView
              isAny
              flow={flow}
              broken={broken}
              problems={problems}
              reveal={title}
              jump={jump}
              onText={onText}
              onFlow={(next) =>
                dispatch({ kind: 'replaceDocument', flow: next, says: t.changedTheText }, 'text')
              }
              onBroken={store.setBroken}
            />
          </Suspense>
        </Part>
        {broken === null && opened.kind === 'flow' && (
          <div className={styles['banner']} data-look="calm" data-place="below" role="status">
            <p>{t.theCanvasCanShow}</p>
            <Button isSmall onClick={onCanvas}>
              {t.showTheCanvas}
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

interface LivePictureProps {
  readonly name: string;
  readonly text: string;
  readonly chosen: string | null;
  readonly onChoose: (node: { readonly id: string; readonly title: string }) => void;
}

function LivePicture({ name, text, chosen, onChoose }: LivePictureProps) {
  const { problems, order, taken } = useBuilder();
  const calm = useCalm(text);
  const drawn = useQuery({
    queryKey: ['pictures', undefined, 'text', calm],
    queryFn: ({ signal }) => drawText(calm, signal),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
  // While the text cannot be drawn, the last picture stays.
  const [last, setLast] = useState<Picture | null>(null);
  if (drawn.data !== undefined && drawn.data !== last) setLast(drawn.data);
  const notes = useMemo(
    () =>
      new Map(
        problems.flatMap(({ nodeId, message }) => (nodeId === undefined ? [] : [[nodeId, message] as const])),
      ),
    [problems],
  );
  const marks = useMemo(
    () =>
      order.size === 0
        ? undefined
        : { nodes: new Map([...order.keys()].map((id) => [id, { state: 'done' }])), taken },
    [order, taken],
  );
  if (last === null)
    return drawn.isPending ? (
      <Skeleton lines={4} />
    ) : (
      <p className={`dim ${styles['undrawn'] ?? ''}`}>{t.thereIsNoPicture}</p>
    );
  return (
    <>
      <PictureView
        picture={last}
        label={t.pictureOf(name)}
        notes={notes}
        selected={chosen}
        {...(marks === undefined ? {} : { marks })}
        onSelect={(id) => {
          const node = last.nodes.find((each) => each.id === id);
          if (node !== undefined) onChoose(node);
        }}
      />
      {drawn.isError && (
        <p className={`dim s ${styles['stale'] ?? ''}`} role="status">
          {t.thePictureShowsTheText}
        </p>
      )}
    </>
  );
}
