/* ui/said.tsx — a sentence of the engine, in any language, with names in it. A name is read in its own direction and cannot turn the rest of the sentence. */
import { Fragment } from 'react';

/* Names are quoted so, in English and in German. The text behind a colon is somebody else's, too. */
const NAMES = /(„[^“]*“|“[^”]*”|: .*)/s;

export function Said({ text }: { readonly text: string }) {
  return (
    <span dir="ltr">
      {text.split(NAMES).map((part, at) => {
        if (at % 2 === 0) return <Fragment key={at}>{part}</Fragment>;
        const [before, name, after] = /^[„“]/.test(part)
          ? [part.slice(0, 1), part.slice(1, -1), part.slice(-1)]
          : [': ', part.slice(2), ''];
        return (
          <Fragment key={at}>
            {before}
            <bdi>{name}</bdi>
            {after}
          </Fragment>
        );
      })}
    </span>
  );
}
