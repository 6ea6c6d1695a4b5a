/* pages/entities/model-page.tsx — one model: its states with how many entities are in each, and a list of them. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';

import {
  definitionIdOf,
  entitiesQuery,
  modelDefinitionsQuery,
  modelSchemaQuery,
  modelsQuery,
  stateCountsQuery,
} from '../../api/entities';
import { pictureQuery } from '../../api/pictures';
import { entitiesAddress, modelAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Crumbs } from '../../ui/crumbs';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { PictureView } from '../../ui/picture-view';
import { Skeleton } from '../../ui/skeleton';
import { useLive } from '../../ui/use-live';
import { useParam } from '../../ui/use-param';
import { useTitle } from '../../ui/use-title';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/entities';
import { countsOf, type StateCount, totalOf } from './counts';
import { CreateDialog } from './create-dialog';
import styles from './entities.module.css';
import { conditionOf, type EntityFilter, parseFilter, printFilter } from './entity-filter';
import { EntityList } from './entity-list';
import { fieldsOf } from './fields';
import { LockMark } from './lock-mark';
import { ownPicture } from './own-picture';
import { WhereBar } from './where-bar';

interface StatesProps {
  readonly id: string;
  readonly version: number;
  readonly counts: readonly StateCount[];
  readonly state: string;
  readonly onState: (state: string) => void;
}

function States({ id, version, counts, state, onState }: StatesProps) {
  const query = useQuery(pictureQuery(id, version));
  const picture = useMemo(() => {
    const byState = new Map(counts.map((each) => [each.state, each.count]));
    return query.data === undefined
      ? null
      : ownPicture(query.data, (each) => t.here(formatCount(byState.get(each) ?? 0)));
  }, [query.data, counts]);
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what={t.thePicture} />;
  if (picture === null) return <Skeleton lines={8} />;
  const selected = picture.nodes.find(({ title }) => title === state)?.id ?? null;
  return (
    <PictureView
      picture={picture}
      label={t.statesAndHowManyEntities}
      selected={selected}
      onSelect={(node) => {
        const chosen = picture.nodes.find((each) => each.id === node)?.title ?? '';
        onState(chosen === state ? '' : chosen);
      }}
    />
  );
}

/** States as a list, for a model without a picture. */
function StateList({ counts, state, onState }: Omit<StatesProps, 'id' | 'version'>) {
  if (counts.length === 0) return <Empty title={t.noEntityYetSoNo} />;
  return (
    <ul className={styles['plain']}>
      {counts.map((each) => (
        <li key={each.state}>
          <button
            type="button"
            aria-pressed={each.state === state}
            onClick={() => onState(each.state === state ? '' : each.state)}
          >
            <bdi className="cut grow">{each.state}</bdi> <b>{formatCount(each.count)}</b>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ModelProps {
  readonly name: string;
  readonly version: number;
}

function Entities({ name, version }: ModelProps) {
  const [params, setParams] = useSearchParams();
  const [, go] = useLocation();
  const filter = useMemo(() => parseFilter(params), [params]);
  const cursor = params.get('cursor') ?? '';
  const schema = useQuery(modelSchemaQuery(name, version));
  const fields = useMemo(() => fieldsOf(schema.data), [schema.data]);
  const query = useQuery({
    ...entitiesQuery(name, version, conditionOf(filter, fields), cursor),
    enabled: schema.isSuccess,
  });
  const show = (next: EntityFilter) => {
    const text = printFilter(next);
    go(text === '' ? modelAddress(name, version) : `${modelAddress(name, version)}?${text}`);
  };
  const turn = (to: string | null) =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      if (to === null) next.delete('cursor');
      else next.set('cursor', to);
      return next;
    });
  return (
    <section className={`card ${styles['list'] ?? ''}`} aria-label={t.entities}>
      <WhereBar filter={filter} fields={fields} onChange={show} />
      {schema.isError && <Failed problem={schema.error} onRetry={schema.refetch} what={t.theFields} />}
      <EntityList
        query={query}
        fields={fields}
        isFiltered={printFilter(filter) !== ''}
        isFirst={cursor === ''}
        onTurn={turn}
      />
    </section>
  );
}

export function ModelBody({ name, version }: ModelProps) {
  useLive(['models', 'entities', 'definitions']);
  useTitle(`${name} v${version}`);
  const [params] = useSearchParams();
  const [, go] = useLocation();
  const [isCreating, setCreating] = useState(false);
  const models = useQuery(modelsQuery());
  const states = useQuery(stateCountsQuery());
  const id = definitionIdOf(name, version);
  const definitions = useQuery(modelDefinitionsQuery(id));
  const model = models.data?.find((each) => each.modelName === name && each.modelVersion === version);
  const counts = countsOf(states.data ?? [], name, version);
  const filter = parseFilter(params);
  const drawn = definitions.data?.get(id);
  const showState = (state: string) => {
    const text = printFilter({ ...filter, state });
    go(text === '' ? modelAddress(name, version) : `${modelAddress(name, version)}?${text}`);
  };
  const isLocked = model?.currentState === 'LOCKED';
  return (
    <div className={`bleed ${styles['one'] ?? ''}`}>
      <Crumbs path={[{ word: t.entities, href: entitiesAddress }]} here={name} />
      <div className={styles['top']}>
        <h1 className="cut" title={name}>
          <bdi>{name}</bdi>
        </h1>
        <span className="tag">v{version}</span>
        {model !== undefined && <LockMark isLocked={isLocked} />}
        {states.isSuccess && <span className="dim s">{t.nEntities(totalOf(counts))}</span>}
        <span className="grow" />
        {model !== undefined && (
          <Button
            look="primary"
            icon="plus"
            needs="entities:write"
            disabled={!isLocked}
            {...(isLocked ? {} : { title: t.theModelMustBeLocked })}
            onClick={() => setCreating(true)}
          >
            {t.createOne}
          </Button>
        )}
      </div>
      {models.isPending && <Skeleton lines={8} />}
      {models.isError && <Failed problem={models.error} onRetry={models.refetch} what={t.thisModel} />}
      {models.isSuccess && model === undefined && (
        <Empty title={t.thereIsNoSuchModel}>{t.itsNameAndVersion}</Empty>
      )}
      {model !== undefined && (
        <div className={styles['grid']}>
          <section className={`card ${styles['map'] ?? ''}`}>
            <header>
              <h2>{t.states}</h2>
              <span className="count">{t.chooseOneToSeeWho}</span>
            </header>
            {definitions.isPending && <Skeleton lines={8} />}
            {states.isError && <Failed problem={states.error} onRetry={states.refetch} what={t.theCounts} />}
            {drawn !== undefined && (
              <States id={id} version={drawn} counts={counts} state={filter.state} onState={showState} />
            )}
            {definitions.data !== undefined && drawn === undefined && (
              <StateList counts={counts} state={filter.state} onState={showState} />
            )}
          </section>
          <Entities name={name} version={version} />
        </div>
      )}
      {isCreating && <CreateDialog name={name} version={version} onClose={() => setCreating(false)} />}
    </div>
  );
}

export function ModelPage() {
  const name = useParam('name');
  const version = useParam('version');
  return <ModelBody key={`${name}/${version}`} name={name} version={Number(version)} />;
}
