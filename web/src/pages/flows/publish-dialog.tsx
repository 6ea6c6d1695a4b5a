/* pages/flows/publish-dialog.tsx — a text box that the engine checks as one types; what it takes can be published. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';

import { type CheckedProblem, type Checks, checksQuery } from '../../api/checks';
import { deployText } from '../../api/definitions';
import { flowAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { MissingList } from '../../ui/missing-list';
import { StatusMark } from '../../ui/status-mark';
import { useTyped } from '../../ui/use-typed';
import { dialectWord } from '../../ui/words';
import { t } from '../../texts/flows';
import styles from './flows.module.css';
import { placeOfLine } from './place-of-line';
import { ProblemList } from './problem-list';

/** So long after the last key the engine is asked. */
const CALM_MS = 300;

function useCalm(text: string): string {
  const [calm, setCalm] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(text), CALM_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return calm;
}

function Verdict({ checks }: { readonly checks: Checks | undefined }) {
  if (checks === undefined) return <span className="dim s">{t.typeOrPasteADocument}</span>;
  if (!checks.valid) return <StatusMark status="failed" word={t.nProblems(checks.errors.length)} isSmall />;
  return (
    <StatusMark
      status="completed"
      word={t.fits(checks.name ?? checks.definitionId ?? t.it, dialectWord(checks.dialect ?? ''))}
      isSmall
    />
  );
}

export function PublishDialog({
  initial,
  onClose,
}: {
  readonly initial: string;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [text, setText, forget] = useTyped('publish', initial);
  const calm = useCalm(text);
  const box = useRef<HTMLTextAreaElement>(null);
  const query = useQuery({ ...checksQuery(calm), enabled: calm.trim() !== '' });
  const checks = calm.trim() === '' ? undefined : query.data;
  const isChecked = calm === text && query.isSuccess && !query.isPlaceholderData;
  const publish = useMutation({
    mutationFn: () => deployText(text),
    onSuccess: async ({ id, version }) => {
      forget();
      announce(t.publishedVersion(id, version));
      await queries.invalidateQueries({ queryKey: ['definitions'] });
      go(flowAddress(id));
    },
  });
  const show = ({ line, column }: CheckedProblem) => {
    const at = placeOfLine(text, line, column);
    box.current?.focus();
    box.current?.setSelectionRange(at, at);
    // The box itself scrolls to where one types, not to where a script has put the caret.
    const height = Number.parseFloat(getComputedStyle(box.current ?? document.body).lineHeight) || 18;
    box.current?.scrollTo({ top: Math.max(0, (line - 4) * height) });
  };
  return (
    <Dialog
      title={t.publishAText2}
      onClose={onClose}
      onSubmit={() => {
        if (isChecked && checks?.valid === true && !publish.isPending) publish.mutate();
      }}
      footer={
        <>
          <span role="status">
            <Verdict checks={checks} />
          </span>
          <span className="grow" />
          <Button onClick={onClose}>{t.back}</Button>
          <Button
            look="primary"
            type="submit"
            disabled={!isChecked || checks?.valid !== true}
            isBusy={publish.isPending}
          >
            {t.publish2}
          </Button>
        </>
      }
    >
      <div className={styles['paste']}>
        <textarea
          ref={box}
          className="in mono"
          aria-label={t.textOfTheFlow2}
          spellCheck={false}
          wrap={t.off2}
          rows={20}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {query.isError && calm.trim() !== '' && <Failed problem={query.error} />}
        {checks !== undefined && <ProblemList checks={checks} onShow={show} />}
        {checks?.missing !== undefined && <MissingList missing={checks.missing} />}
        {publish.isError && <Failed problem={publish.error} />}
      </div>
    </Dialog>
  );
}
