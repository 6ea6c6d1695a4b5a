/* pages/builder/use-cover.ts — while the canvas or a step on it moves, a cover lies over it, which the browser finds under the pointer at once.
 * Else it looks through all steps and lines with every frame to find what the pointer is over: 5 ms of a frame with 500 steps.
 *
 * The cover goes by itself soon after the last frame that moved, or with the first move of a pointer that holds nothing: not every gesture
 * tells its end. */
import { type PointerEvent, type RefObject, useCallback, useEffect, useRef } from 'react';

const REST_MS = 120;

interface Cover {
  /** Something has moved. */
  readonly lay: () => void;
  readonly onPointerMove: (event: PointerEvent) => void;
}

/** `box` gets `data-moving`, which the style sheet makes the cover of. */
export function useCover(box: RefObject<HTMLElement | null>): Cover {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const take = useCallback(() => {
    clearTimeout(timer.current);
    box.current?.removeAttribute('data-moving');
  }, [box]);
  const lay = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(take, REST_MS);
    box.current?.setAttribute('data-moving', '');
  }, [box, take]);
  const onPointerMove = useCallback(
    (event: PointerEvent) => {
      if (event.buttons === 0) take();
    },
    [take],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  return { lay, onPointerMove };
}
