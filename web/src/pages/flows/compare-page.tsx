/* pages/flows/compare-page.tsx — two versions of a flow: a list of what changed, the pictures of both with the changes marked, or
 * their texts side by side. The versions are in the address: /flows/ID/compare?from=1&to=2. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useSearchParams } from 'wouter';

import { type Comparison, comparisonQuery } from '../../api/comparisons';
import { type DefinitionDetails, definitionQuery } from '../../api/definitions';
import { pictureQuery } from '../../api/pictures';
import { flowAddress, flowsAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Crumbs } from '../../ui/crumbs';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { type Change, lineKey } from '../../ui/picture';
import { PictureView } from '../../ui/picture-view';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { useLive } from '../../ui/use-live';
import { useMay } from '../../ui/may';
import { useParam } from '../../ui/use-param';
import { useTitle } from '../../ui/use-title';
import { listWords } from '../../ui/words';
import { t } from '../../texts/flows';
import { CompareText } from './compare-text';
import styles from './compare.module.css';
import { MigratePanel } from './migrate-panel';

/** The two versions of the address; without any the newest and the one before. */
export function versionsOf(
  flow: Pick<DefinitionDetails, 'version'>,
  params: URLSearchParams,
): { readonly from: number; readonly to: number } {
  const read = (name: string) => {
    const number = Number(params.get(name));
    return Number.isInteger(number) && number > 0 ? number : null;
  };
  const to = read('to') ?? flow.version;
  return { from: read('from') ?? Math.max(1, to - 1), to };
}

/** "/config/url" is "url", as people name it. */
export function fieldWord(pointer: string): string {
  const last = pointer.split('/').pop() ?? '';
  return last.replaceAll('~1', '/').replaceAll('~0', '~') || t.allOf;
}

const CHANGE_WORDS: { readonly [K in Change]: string } = {
  added: t.new,
  removed: t.gone,
  changed: t.changed,
};
const SIGNS: { readonly [K in Change]: string } = { added: '+', removed: '−', changed: '~' };
const FIELDS_MAX = 6;

function ChangeMark({ change }: { readonly change: Change }) {
  return (
    <span className={`${styles['mark'] ?? ''} ${styles[change] ?? ''}`}>
      <b aria-hidden="true">{SIGNS[change]}</b> {CHANGE_WORDS[change]}
    </span>
  );
}

function Changes({
  comparison,
  titles,
}: {
  readonly comparison: Comparison;
  readonly titles: ReadonlyMap<string, string>;
}) {
  const { nodes, edges } = comparison;
  const title = (id: string) => titles.get(id) ?? id;
  if (nodes.length === 0 && edges.length === 0)
    return <Empty title={t.theStepsAreTheSame}>{t.whatDiffersIfAnything}</Empty>;
  return (
    // On a small window it scrolls, and must be reached by keys.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ul className={styles['changes']} tabIndex={0}>
      {nodes.map((node) => (
        <li key={`${node.change} ${node.id}`}>
          <ChangeMark change={node.change} />
          <span dir="auto">
            <b className="m">{node.title}</b>
            {node.fields.length > 0 && (
              <small>
                {listWords(node.fields.slice(0, FIELDS_MAX).map(fieldWord))}
                {node.fields.length > FIELDS_MAX && t.andMore(node.fields.length - FIELDS_MAX)}
              </small>
            )}
          </span>
        </li>
      ))}
      {edges.map((edge, index) => (
        <li key={index}>
          <ChangeMark change={edge.change} />
          <span dir="auto">
            {t.lineFrom(<b className="m">{title(edge.from)}</b>, <b className="m">{title(edge.to)}</b>)}
            {edge.label !== '' && <small>{edge.label.replaceAll('\n', ' ')}</small>}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface SideProps {
  readonly flow: DefinitionDetails;
  readonly version: number;
  readonly comparison: Comparison;
  /** The part that this side shows: what was removed is in the old picture only. */
  readonly shows: 'added' | 'removed';
}

function Side({ flow, version, comparison, shows }: SideProps) {
  const picture = useQuery(pictureQuery(flow.definitionId, version));
  const published = flow.versions.find((each) => each.version === version)?.publishedAt;
  const changes = new Map<string, Change>(
    comparison.nodes
      .filter(({ change }) => change === shows || change === 'changed')
      .map(({ id, change }) => [id, change]),
  );
  const lineChanges = new Map<string, Change>(
    comparison.edges
      .filter(({ change }) => change === shows)
      .map(({ from, to, label, change }) => [lineKey(from, to, label), change]),
  );
  return (
    <section className={`card ${styles['side'] ?? ''}`} aria-label={t.version(version)}>
      <header>
        <h2>{t.version(version)}</h2>
        {published !== undefined && (
          <span className="count">{t.published(<Time at={published} as="ago" />)}</span>
        )}
      </header>
      {picture.isPending && <Skeleton lines={8} />}
      {picture.isError && <Failed problem={picture.error} onRetry={picture.refetch} what={t.thePicture} />}
      {picture.isSuccess && (
        <PictureView
          picture={picture.data}
          label={t.pictureOfVersion(version)}
          changes={changes}
          lineChanges={lineChanges}
          showFirst={[...changes.keys()][0] ?? null}
        />
      )}
    </section>
  );
}

function VersionChoice({
  label,
  flow,
  value,
  onChange,
}: {
  readonly label: string;
  readonly flow: DefinitionDetails;
  readonly value: number;
  readonly onChange: (version: number) => void;
}) {
  const id = useId();
  const isListed = flow.versions.some(({ version }) => version === value);
  return (
    <span className={styles['choice']}>
      <label htmlFor={id} className="dim s">
        {label}
      </label>
      <select id={id} className="in" value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {!isListed && <option value={value}>v{value}</option>}
        {flow.versions.map(({ version }) => (
          <option key={version} value={version}>
            v{version}
          </option>
        ))}
      </select>
    </span>
  );
}

function CompareBody({ flow }: { readonly flow: DefinitionDetails }) {
  const [params, setParams] = useSearchParams();
  const { from, to } = versionsOf(flow, params);
  const isText = params.get('view') === 'text';
  const query = useQuery(comparisonQuery(flow.definitionId, from, to));
  const [older, newer] = [
    useQuery(pictureQuery(flow.definitionId, from)),
    useQuery(pictureQuery(flow.definitionId, to)),
  ];
  const titles = new Map(
    [...(older.data?.nodes ?? []), ...(newer.data?.nodes ?? [])].map(({ id, title }) => [id, title]),
  );
  const may = useMay();
  const put = (changes: Readonly<Record<string, string | null>>) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes))
          if (value === null) next.delete(name);
          else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const bulkId = params.get('bulk');
  // The preview asks the engine as the deed does.
  const isMigrating = (params.get('do') === 'migrate' || bulkId !== null) && may('instances:operate');
  const hasPictures = older.data !== undefined && newer.data !== undefined;
  const count = query.data === undefined ? 0 : query.data.nodes.length + query.data.edges.length;
  return (
    <>
      <div className={styles['top']}>
        <h1 className="cut" title={flow.name}>
          <bdi>{flow.name}</bdi>
        </h1>
        <VersionChoice
          label={t.from}
          flow={flow}
          value={from}
          onChange={(version) => put({ from: String(version), bulk: null })}
        />
        <VersionChoice
          label={t.to}
          flow={flow}
          value={to}
          onChange={(version) => put({ to: String(version), bulk: null })}
        />
        <Button isSmall onClick={() => put({ from: String(to), to: String(from), bulk: null })}>
          {t.swap}
        </Button>
        <span className="grow" />
        <Button
          icon="runs"
          needs="instances:operate"
          isPressed={isMigrating}
          disabled={from === to}
          onClick={() => put({ do: isMigrating ? null : 'migrate', bulk: null })}
        >
          {t.bringLivingRunsAlong}
        </Button>
        <span className="seg" role="group" aria-label={t.compareAs}>
          <button type="button" aria-pressed={!isText} onClick={() => put({ view: 'picture' })}>
            {t.picture}
          </button>
          <button type="button" aria-pressed={isText} onClick={() => put({ view: 'text' })}>
            {t.text}
          </button>
        </span>
      </div>
      {query.isPending && <Skeleton lines={10} />}
      {query.isError && <Failed problem={query.error} onRetry={query.refetch} what={t.theComparison} />}
      {query.data !== undefined && (
        <div className={styles['grid']} aria-busy={query.isFetching}>
          {isMigrating && hasPictures && from !== to ? (
            <MigratePanel
              definitionId={flow.definitionId}
              from={from}
              to={to}
              older={older.data.nodes}
              newer={newer.data.nodes}
              bulkId={bulkId}
              onBegun={(id) => put({ bulk: id })}
              onClose={() => put({ do: null, bulk: null })}
            />
          ) : (
            <section className={`card ${styles['list'] ?? ''}`}>
              <header>
                <h2>{t.whatChanged}</h2>
                <span className="count">{from === to ? t.theSameVersion : t.nChanges(count)}</span>
              </header>
              {query.data.cut === true && (
                <p className={styles['cut']} role="note">
                  {t.theVersionsAreTooLong}
                </p>
              )}
              <Changes comparison={query.data} titles={titles} />
            </section>
          )}
          {isText ? (
            <section className={`card ${styles['side'] ?? ''} ${styles['both'] ?? ''}`}>
              <CompareText comparison={query.data} />
            </section>
          ) : (
            <>
              <Side flow={flow} version={query.data.from} comparison={query.data} shows="removed" />
              <Side flow={flow} version={query.data.to} comparison={query.data} shows="added" />
            </>
          )}
        </div>
      )}
    </>
  );
}

export function ComparePage() {
  const id = useParam('id');
  useLive(['overview', 'definitions', 'bulk']);
  const query = useQuery(definitionQuery(id));
  const name = query.data?.name ?? id;
  useTitle(t.versionsOf(name));
  return (
    <div className={`bleed ${styles['page'] ?? ''}`}>
      <Crumbs
        path={[
          { word: t.flows, href: flowsAddress },
          { word: name, href: flowAddress(id) },
        ]}
        here={t.compare}
      />
      {query.isPending && <Skeleton lines={8} />}
      {query.isError && <Failed problem={query.error} onRetry={query.refetch} what={t.thisFlow} />}
      {query.data !== undefined && <CompareBody flow={query.data} />}
    </div>
  );
}
