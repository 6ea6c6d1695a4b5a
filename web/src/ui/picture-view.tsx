/* ui/picture-view.tsx — a picture in a place of its own: as large as fits, closer or further by buttons, dragged by scrolling. */
import { type ComponentProps, useLayoutEffect, useRef, useState } from 'react';

import { t } from '../texts/ui';
import { Button } from './button';
import { Picture } from './picture';
import { withWays } from './picture-ways';
import styles from './picture-view.module.css';

const SCALE_MIN = 0.2;
const SCALE_MAX = 2;
/** Smaller than this nobody can read: it is scrolled instead, at a size that can be. */
const FIT_MIN = 0.5;
const READABLE = 0.6;
const PADDING = 16;
const STEP = 1.25;

type PictureViewProps = Omit<ComponentProps<typeof Picture>, 'scale'> & {
  /** The step to have in the middle if not all is in view; null: the first one. */
  readonly showFirst?: string | null;
};

/** As large as fits into the place, not larger than life, not too small to read unless the whole is wanted. */
export function fitScale(
  place: { width: number; height: number },
  width: number,
  height: number,
  isWhole: boolean,
): number {
  const [wide, high] = [
    (place.width - PADDING) / Math.max(1, width),
    (place.height - PADDING) / Math.max(1, height),
  ];
  const whole = Math.min(1, wide, high);
  if (isWhole) return Math.max(SCALE_MIN, whole);
  return whole >= FIT_MIN ? whole : READABLE;
}

/** Scrolls the place, and only the place, so that the element stands in its middle. */
function showInMiddle(place: HTMLElement, element: Element): void {
  const [outer, inner] = [place.getBoundingClientRect(), element.getBoundingClientRect()];
  place.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  place.scrollTop += inner.top + inner.height / 2 - (outer.top + outer.height / 2);
}

export function PictureView({ showFirst = null, ...props }: PictureViewProps) {
  const place = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  const [chosen, setChosen] = useState<number | 'fit' | 'whole'>('fit');
  const { width, height } = withWays(props.picture);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const shown = showFirst ?? props.picture.nodes[0]?.id ?? null;
  const [placeWidth, placeHeight] = [size?.width ?? 0, size?.height ?? 0];
  useLayoutEffect(() => {
    if (placeWidth === 0 || placeHeight === 0 || shown === null || place.current === null) return;
    const node = place.current.querySelector(`[data-node="${CSS.escape(shown)}"]`);
    if (node !== null) showInMiddle(place.current, node);
  }, [placeWidth, placeHeight, shown]);
  const scale =
    size === null
      ? 1
      : typeof chosen === 'number'
        ? chosen
        : fitScale(size, width, height, chosen === 'whole');
  const zoom = (by: number) => setChosen(Math.min(SCALE_MAX, Math.max(SCALE_MIN, scale * by)));
  const canChoose =
    props.onSelect !== undefined && props.picture.nodes.some(props.isChoosable ?? (() => true));
  const whole = size === null ? 1 : fitScale(size, width, height, true);
  const isLarge = whole < 1;
  const isScrolled = size !== null && fitScale(size, width, height, false) !== whole;
  return (
    <div className={styles['view']}>
      {/* A part that scrolls must be reached by keys. */}
      <div
        ref={place}
        className={styles['place']}
        {...(canChoose ? {} : { tabIndex: 0, role: 'group', 'aria-label': t.thePictureArrowsScroll })}
      >
        {size !== null && <Picture {...props} scale={scale} />}
      </div>
      {(isLarge || typeof chosen === 'number') && (
        <div className={styles['zoom']} role="group" aria-label={t.sizeOfThePicture}>
          <Button isSmall look="quiet" icon="plus" label={t.closer} onClick={() => zoom(STEP)} />
          <Button isSmall look="quiet" icon="minus" label={t.further} onClick={() => zoom(1 / STEP)} />
          {(isScrolled || typeof chosen === 'number') && (
            <Button isSmall look="quiet" onClick={() => setChosen(chosen === 'whole' ? 'fit' : 'whole')}>
              {chosen === 'whole' ? t.readable : t.whole}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
