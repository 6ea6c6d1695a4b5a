/* pages/entities/entity-page.tsx — one entity: where it stands, what can be done with it, its data, versions and audit. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';

import {
  auditQuery,
  changesQuery,
  definitionIdOf,
  type Entity,
  entityQuery,
  modelDefinitionsQuery,
} from '../../api/entities';
import { pictureQuery } from '../../api/pictures';
import { entitiesAddress, modelAddress } from '../../ui/addresses';
import { CopyButton } from '../../ui/copy-button';
import { Crumbs } from '../../ui/crumbs';
import { Failed } from '../../ui/failed';
import { type NodeMark, type PictureMarks, takenKey } from '../../ui/picture';
import { PictureView } from '../../ui/picture-view';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { useLive } from '../../ui/use-live';
import { useParam } from '../../ui/use-param';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/entities';
import { pathOf } from './audit-entries';
import styles from './entities.module.css';
import { EntityActions } from './entity-actions';
import { EntityData } from './entity-data';
import { EntityPast } from './entity-past';
import { entityName, shortId } from './fields';
import { ModelBody } from './model-page';
import { ownPicture } from './own-picture';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function Place({ entity, version }: { readonly entity: Entity; readonly version: number }) {
  const { modelKey, state, id } = entity.meta;
  const query = useQuery(pictureQuery(definitionIdOf(modelKey.name, modelKey.version), version));
  const audit = useInfiniteQuery(auditQuery(id));
  const events = useMemo(() => audit.data?.pages.flatMap((page) => page.items) ?? [], [audit.data]);
  if (query.isPending) return <Skeleton lines={8} />;
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what={t.thePicture} />;
  const picture = ownPicture(query.data, () => '');
  const path = pathOf(events, state);
  const ids = new Map(picture.nodes.map((node) => [node.title, node.id]));
  const marks: PictureMarks = {
    nodes: new Map(
      [...path.visited].flatMap((each): (readonly [string, NodeMark])[] => {
        const node = ids.get(each);
        if (node === undefined) return [];
        return [[node, each === state ? { state: 'running', badge: t.itIsHere } : { state: 'done' }]];
      }),
    ),
    taken: new Set(path.taken.map(([from, to]) => takenKey(ids.get(from) ?? '', ids.get(to) ?? ''))),
  };
  return (
    <PictureView
      picture={picture}
      label={t.statesIt(state)}
      marks={marks}
      showFirst={ids.get(state) ?? null}
    />
  );
}

function Body({ entity }: { readonly entity: Entity }) {
  const { id, modelKey } = entity.meta;
  const [params, setParams] = useSearchParams();
  const definition = definitionIdOf(modelKey.name, modelKey.version);
  const definitions = useQuery(modelDefinitionsQuery(definition));
  const changes = useQuery(changesQuery(id));
  const drawn = definitions.data?.get(definition);
  const versions = changes.data ?? [];
  const asked = params.get('at');
  const shown = versions.find(({ transactionId }) => transactionId === asked) ?? versions[0];
  const choose = (transactionId: string | null) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (transactionId === null || transactionId === versions[0]?.transactionId) next.delete('at');
        else next.set('at', transactionId);
        return next;
      },
      { replace: true },
    );
  return (
    <div className={styles['grid']}>
      <section className={`card ${styles['map'] ?? ''}`}>
        <header>
          <h2>{t.state}</h2>
          <span className="count">{t.andTheWay}</span>
        </header>
        {definitions.isPending && <Skeleton lines={8} />}
        {drawn !== undefined && <Place entity={entity} version={drawn} />}
        {definitions.data !== undefined && drawn === undefined && (
          <p className={`dim ${styles['padded'] ?? ''}`}>{t.itsModelHasNoWorkflow}</p>
        )}
      </section>
      <div className={styles['stack']}>
        <EntityData
          entity={entity}
          shown={shown?.transactionId ?? null}
          number={shown === undefined ? 0 : versions.length - versions.indexOf(shown)}
          total={versions.length}
          onNow={() => choose(null)}
        />
        <EntityPast id={id} changes={changes} shown={shown?.transactionId ?? null} onChoose={choose} />
      </div>
    </div>
  );
}

function EntityBody({ id }: { readonly id: string }) {
  useLive([`entities/${id}`, 'definitions']);
  const query = useQuery(entityQuery(id));
  const entity = query.data;
  const name = entity === undefined ? shortId(id) : entityName(entity.data, id);
  useTitle(name);
  const model = entity?.meta.modelKey;
  return (
    <div className={`bleed ${styles['one'] ?? ''}`}>
      <Crumbs
        path={[
          { word: t.entities, href: entitiesAddress },
          ...(model === undefined
            ? []
            : [{ word: model.name, href: modelAddress(model.name, model.version) }]),
        ]}
        here={name}
      />
      {query.isPending && <Skeleton lines={8} />}
      {query.isError && (
        <>
          <h1 className={styles['top']}>{shortId(id)}</h1>
          <Failed problem={query.error} onRetry={query.refetch} what={t.thisEntity} />
        </>
      )}
      {entity !== undefined && model !== undefined && (
        <>
          <div className={styles['top']}>
            <h1 className="cut" title={name}>
              <bdi>{name}</bdi>
            </h1>
            <span className="tag">{entity.meta.state}</span>
            <span className="grow" />
            <EntityActions entity={entity} />
            <p className={styles['facts']}>
              <Link className="link" href={modelAddress(model.name, model.version)}>
                {model.name} <span className="tag">v{model.version}</span>
              </Link>
              <span>{t.created2(<Time at={entity.meta.creationDate} as="zoned" />)}</span>
              <span>{t.changed(<Time at={entity.meta.lastUpdateTime} as="zoned" />)}</span>
              <span className={styles['id']}>
                <code className="cut">{id}</code>
                <CopyButton text={id} what={t.theId} />
              </span>
            </p>
          </div>
          <Body entity={entity} />
        </>
      )}
    </div>
  );
}

/** A model may be called "id": then this is its page. */
export function EntityPage() {
  const id = useParam('id');
  if (!UUID.test(id)) return <ModelBody key={id} name="id" version={Number(id)} />;
  return <EntityBody key={id} id={id} />;
}
