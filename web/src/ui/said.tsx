/* ui/said.tsx — a sentence of the engine with names in it. A name is read in its own direction and cannot turn the rest of the sentence. */
import { Fragment } from 'react';

/* The engine quotes names so. The text behind a colon is somebody else's, too. */
const NAMES = /(“[^”]*”|: .*)/s;

export function Said({ text }: { readonly text: string }) {
  return (
    <span dir="ltr">
      {text.split(NAMES).map((part, at) => {
        if (at % 2 === 0) return <Fragment key={at}>{part}</Fragment>;
        const [before, name, after] = part.startsWith('“')
          ? ['“', part.slice(1, -1), '”']
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
