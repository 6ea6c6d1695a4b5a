/* pages/flows/flows-page.tsx — every definition of every family, with its picture, counts, last failure and warnings. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';

import { type Definition, definitionsQuery } from '../../api/definitions';
import { pictureQuery } from '../../api/pictures';
import { builderAddress, flowAddress, runAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { MayLink } from '../../ui/may-link';
import { Picture } from '../../ui/picture';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import { dialectWord } from '../../ui/words';
import { sayFailure, sayProblem } from '../../texts/engine';
import { t } from '../../texts/flows';
import { DeployDrop } from './deploy-drop';
import { DraftList } from './draft-list';
import { FlowCounts } from './flow-counts';
import styles from './flows.module.css';

function Thumbnail({ flow }: { readonly flow: Definition }) {
  const picture = useQuery(pictureQuery(flow.definitionId, flow.version));
  return (
    <div className={styles['thumb']} aria-hidden="true">
      {picture.isSuccess && <Picture picture={picture.data} label={t.pictureOf(flow.name)} />}
    </div>
  );
}

function FlowCard({ flow }: { readonly flow: Definition }) {
  return (
    <article className={`card ${styles['flow'] ?? ''}`}>
      <Thumbnail flow={flow} />
      <div className={styles['about']}>
        <h2 className="cut" title={flow.name}>
          <Link href={flowAddress(flow.definitionId)}>
            <bdi>{flow.name}</bdi>
          </Link>
        </h2>
        <p className="dim s cut">
          <span className="tag">v{flow.version}</span>{' '}
          {t.published4(dialectWord(flow.dialect), <Time at={flow.publishedAt} as="ago" />)}
          {flow.hasDraft && t.hasADraft}
        </p>
        <FlowCounts flow={flow} />
        {flow.lastFailure !== undefined && (
          <p className="s cut">
            <Link
              href={runAddress(flow.lastFailure.instanceId)}
              className="failed"
              title={flow.lastFailure.reason}
            >
              {t.lastFailed2(
                <Time at={flow.lastFailure.at} as="ago" />,
                sayFailure(flow.lastFailure.reasonCode) || (flow.lastFailure.sentence ?? t.noReasonWasGiven),
              )}
            </Link>
          </p>
        )}
        {flow.warnings > 0 && (
          <p className="person s cut st" title={sayProblem(flow.firstWarningCode ?? '') || flow.firstWarning}>
            <Icon name="warn" small />
            <span className="cut">
              {t.nWarnings(flow.warnings)}: {sayProblem(flow.firstWarningCode ?? '') || flow.firstWarning}
            </span>
          </p>
        )}
      </div>
    </article>
  );
}

export function FlowsPage() {
  useTitle(t.flows);
  useLive(['overview', 'definitions', 'drafts']);
  const [params, setParams] = useSearchParams();
  const keyword = params.get('keyword') ?? '';
  const isWarned = params.get('warnings') === 'true';
  const [text, setText] = useState(keyword);
  const query = useInfiniteQuery(definitionsQuery(keyword, isWarned));
  const flows = query.data?.pages.flatMap((page) => page.items) ?? [];
  const put = (name: string, value: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return (
    <DeployDrop>
      {(buttons, files) => (
        <>
          <div className={styles['head']}>
            <h1>{t.flows}</h1>
            <form
              role="search"
              aria-label={t.flows}
              onSubmit={(event) => {
                event.preventDefault();
                put('keyword', text.trim());
              }}
            >
              <label className="find">
                <Icon name="search" />
                <input
                  type="search"
                  value={text}
                  placeholder={t.partOfAName}
                  aria-label={t.findFlowsByAPart}
                  onChange={(event) => {
                    setText(event.target.value);
                    if (event.target.value === '') put('keyword', '');
                  }}
                />
              </label>
            </form>
            <Button isPressed={isWarned} onClick={() => put('warnings', isWarned ? '' : 'true')}>
              {t.withWarnings}
            </Button>
            <span className="grow" />
            {buttons}
            <MayLink href={builderAddress()} needs="definitions:write" className="btn primary">
              <Icon name="plus" />
              {t.newFlow}
            </MayLink>
          </div>
          {files}
          {!isWarned && <DraftList keyword={keyword} />}
          {query.isPending && <Skeleton lines={8} />}
          {query.isError && <Failed problem={query.error} onRetry={query.refetch} what={t.theFlows} />}
          {query.isSuccess && flows.length === 0 && (
            <section className="card">
              <Empty title={keyword === '' && !isWarned ? t.noFlowYet : t.noFlowFits}>
                {keyword === '' && !isWarned ? t.makeOneInTheBuilder : t.tryAnotherPart}
              </Empty>
            </section>
          )}
          <div className={styles['flows']}>
            {flows.map((flow) => (
              <FlowCard key={flow.definitionId} flow={flow} />
            ))}
          </div>
          {query.hasNextPage && (
            <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {t.moreFlows}
            </Button>
          )}
        </>
      )}
    </DeployDrop>
  );
}
