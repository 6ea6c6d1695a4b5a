/* pages/flows/flow-page.tsx — one flow: its picture at any version, its runs, how to start it. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'wouter';

import {
  type DefinitionDetails,
  definitionQuery,
  isDefinitionThere,
  documentQuery,
} from '../../api/definitions';
import { pictureQuery } from '../../api/pictures';
import { asProblem } from '../../api/problem';
import { builderAddress, compareAddress, flowsAddress, runAddress, runsAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { Crumbs } from '../../ui/crumbs';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { useMay } from '../../ui/may';
import { MayLink } from '../../ui/may-link';
import { PictureView } from '../../ui/picture-view';
import { printFilter } from '../../ui/run-filter';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { useLive } from '../../ui/use-live';
import { useParam } from '../../ui/use-param';
import { useTitle } from '../../ui/use-title';
import { dialectWord } from '../../ui/words';
import { sayFailure, sayProblem } from '../../texts/engine';
import { t } from '../../texts/flows';
import { FlowCounts } from './flow-counts';
import { FlowEnd } from './flow-end';
import { FlowTables } from './flow-tables';
import { FlowTriggers } from './flow-triggers';
import styles from './flows.module.css';
import { LeftBehind } from './left-behind';
import { RestoreButton } from './restore-button';
import { StartDialog } from './start-dialog';

function FlowText({ id, version }: { readonly id: string; readonly version: number }) {
  const query = useQuery(documentQuery(id, version));
  if (query.isPending) return <Skeleton lines={10} />;
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what={t.theText} />;
  const text = JSON.stringify(query.data, null, 2);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keys.
    <div className={styles['text']} tabIndex={0} role="group" aria-label={t.textOfTheFlow}>
      <CopyButton text={text} what={t.theText2} />
      <pre>{text}</pre>
    </div>
  );
}

function FlowPicture({
  id,
  version,
  name,
}: {
  readonly id: string;
  readonly version: number;
  readonly name: string;
}) {
  const query = useQuery(pictureQuery(id, version));
  if (query.isPending) return <Skeleton lines={10} />;
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what={t.thePicture} />;
  return <PictureView picture={query.data} label={t.pictureOfVersion2(name, version)} />;
}

function Versions({
  flow,
  version,
  onShow,
}: {
  readonly flow: DefinitionDetails;
  readonly version: number;
  readonly onShow: (version: number) => void;
}) {
  const may = useMay();
  return (
    <section className="card">
      <header>
        <h2>{t.versions}</h2>
        <span className="count">{t.nVersions(flow.versions.length)}</span>
      </header>
      <ul className={styles['versions']}>
        {flow.versions.map((each) => (
          <li key={each.version}>
            <button
              type="button"
              aria-pressed={each.version === version}
              onClick={() => onShow(each.version)}
            >
              <span className="tag">v{each.version}</span>
              <span className="mid s">
                {t.published(<Time at={each.publishedAt} as="ago" />)}
                {each.publishedBy !== undefined && <> {t.by2(<bdi>{each.publishedBy}</bdi>)}</>}
              </span>
            </button>
            {each.version > 1 && (
              <Link
                className="link s"
                href={compareAddress(flow.definitionId, each.version - 1, each.version)}
                aria-label={t.compareVersionWithTheOne(each.version)}
              >
                {t.compare}
              </Link>
            )}
            {each.version === version && version < flow.version && (
              <RestoreButton id={flow.definitionId} version={version} latest={flow.version} />
            )}
            {may('instances:read') && (
              <Link
                className="link s"
                href={runsAddress(
                  printFilter({ definitionId: flow.definitionId, version: String(each.version) }),
                )}
                aria-label={t.runsOfVersion(each.version)}
              >
                {t.runs}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FlowBodyProps {
  readonly flow: DefinitionDetails;
  readonly onLeaving: (isLeaving: boolean) => void;
}

function FlowBody({ flow, onLeaving }: FlowBodyProps) {
  const may = useMay();
  const [params, setParams] = useSearchParams();
  const [isStarting, setStarting] = useState(false);
  const version =
    flow.versions.find((each) => String(each.version) === params.get('version'))?.version ?? flow.version;
  const isText = params.get('view') === 'text';
  const put = (name: string, value: string | null) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return (
    <>
      <div className={styles['top']}>
        <h1 className="cut" title={flow.name}>
          <bdi>{flow.name}</bdi>
        </h1>
        <span className="tag">v{flow.version}</span>
        <span className="dim s">{dialectWord(flow.dialect)}</span>
        <span className="grow" />
        {flow.startable && (flow.mayStart || !may('instances:start')) && (
          <Button look="primary" icon="play" needs="instances:start" onClick={() => setStarting(true)}>
            {t.start}
          </Button>
        )}
        <MayLink href={builderAddress(flow.definitionId)} needs="definitions:write" className="btn">
          {t.openInTheBuilder}
        </MayLink>
        <MayLink
          href={runsAddress(printFilter({ definitionId: flow.definitionId }))}
          needs="instances:read"
          className="btn"
        >
          {t.allRuns}
        </MayLink>
        <FlowEnd flow={flow} onLeaving={onLeaving} />
      </div>
      <div className={styles['grid']}>
        <section className={`card ${styles['map'] ?? ''}`}>
          <header>
            <h2>{isText ? t.text : t.picture}</h2>
            <span className="count">{t.version4(version)}</span>
            <span className="end">
              <span className="seg" role="group" aria-label={t.showTheFlow}>
                <button type="button" aria-pressed={!isText} onClick={() => put('view', null)}>
                  {t.picture}
                </button>
                <button type="button" aria-pressed={isText} onClick={() => put('view', 'text')}>
                  {t.text}
                </button>
              </span>
            </span>
          </header>
          {isText ? (
            <FlowText id={flow.definitionId} version={version} />
          ) : (
            <FlowPicture id={flow.definitionId} version={version} name={flow.name} />
          )}
        </section>
        <div className={styles['col']}>
          <section className="card">
            <header>
              <h2>{t.runs}</h2>
              <span className="count">{t.ofAllVersions}</span>
            </header>
            <div className={styles['padded']}>
              <FlowCounts flow={flow} />
              <LeftBehind flow={flow} />
              {flow.lastFailure !== undefined && (
                <p className="s">
                  {t.lastFailed(<Time at={flow.lastFailure.at} as="ago" />)}{' '}
                  <MayLink
                    href={runAddress(flow.lastFailure.instanceId)}
                    needs="instances:read"
                    className="link"
                    title={flow.lastFailure.reason}
                  >
                    <bdi>
                      {sayFailure(flow.lastFailure.reasonCode) ||
                        (flow.lastFailure.sentence ?? t.noReasonWasGiven)}
                    </bdi>
                  </MayLink>
                </p>
              )}
              {flow.warnings > 0 && (
                <p className={`person s st ${styles['warning'] ?? ''}`}>
                  <Icon name="warn" small />
                  <bdi>{sayProblem(flow.firstWarningCode ?? '') || flow.firstWarning}</bdi>
                </p>
              )}
            </div>
          </section>
          {flow.triggers > 0 && (
            <FlowTriggers
              definitionId={flow.definitionId}
              labels={new Map(flow.starts.map(({ trigger, label }) => [trigger, label]))}
            />
          )}
          <FlowTables definitionId={flow.definitionId} version={flow.version} />
          <Versions
            flow={flow}
            version={version}
            onShow={(each) => put('version', each === flow.version ? null : String(each))}
          />
        </div>
      </div>
      {isStarting && <StartDialog flow={flow} onClose={() => setStarting(false)} />}
    </>
  );
}

export function FlowPage() {
  const id = useParam('id');
  const [isLeaving, setLeaving] = useState(false);
  const [gone, setGone] = useState('');
  const subject = useMemo(
    () => ({ id, isThere: () => isDefinitionThere(id), onGone: () => setGone(id) }),
    [id],
  );
  useLive(['overview', 'definitions', 'triggers'], '', isLeaving, subject);
  const isGone = gone === id;
  const query = useQuery({ ...definitionQuery(id), enabled: !isGone });
  const wasDeleted =
    query.data !== undefined && (isGone || (query.isError && asProblem(query.error).status === 404));
  useTitle(query.data?.name ?? id);
  return (
    <div className={`bleed ${styles['one'] ?? ''}`}>
      <Crumbs path={[{ word: t.flows, href: flowsAddress }]} here={query.data?.name ?? id} />
      {query.isPending && <Skeleton lines={8} />}
      {wasDeleted && (
        <div role="alert">
          <Empty title={t.thisFlowWasDeleted(query.data.name)}>
            <Link className="link" href={flowsAddress}>
              {t.allFlows}
            </Link>
          </Empty>
        </div>
      )}
      {query.isError && !wasDeleted && (
        <Failed problem={query.error} onRetry={query.refetch} what={t.thisFlow} />
      )}
      {query.data !== undefined && !wasDeleted && <FlowBody flow={query.data} onLeaving={setLeaving} />}
    </div>
  );
}
