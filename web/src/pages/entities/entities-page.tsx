/* pages/entities/entities-page.tsx — the models: what they look like, how many entities they have and in which states. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import {
  definitionIdOf,
  type EntityModel,
  modelDefinitionsQuery,
  modelsQuery,
  stateCountsQuery,
} from '../../api/entities';
import { pictureQuery } from '../../api/pictures';
import { modelAddress } from '../../ui/addresses';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Picture } from '../../ui/picture';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/entities';
import { countsOf, type StateCount, totalOf } from './counts';
import { printFilter } from './entity-filter';
import styles from './entities.module.css';
import { LockMark } from './lock-mark';
import { ownPicture } from './own-picture';

const STATES_SHOWN = 4;

function Thumbnail({ id, version }: { readonly id: string; readonly version: number }) {
  const picture = useQuery(pictureQuery(id, version));
  return (
    <div className={styles['thumb']} aria-hidden="true">
      {picture.isSuccess && <Picture picture={ownPicture(picture.data, () => '')} label="" />}
    </div>
  );
}

interface ModelCardProps {
  readonly model: EntityModel;
  readonly counts: readonly StateCount[];
  /** Counts of its workflows; undefined: it has none. */
  readonly version: number | undefined;
}

function ModelCard({ model, counts, version }: ModelCardProps) {
  const { modelName, modelVersion } = model;
  const address = modelAddress(modelName, modelVersion);
  const shown = counts.slice(0, STATES_SHOWN);
  return (
    <article className={`card ${styles['model'] ?? ''}`}>
      {version === undefined ? (
        <div className={styles['thumb']}>
          <p className="dim s">{t.noWorkflowOfItsOwn}</p>
        </div>
      ) : (
        <Thumbnail id={definitionIdOf(modelName, modelVersion)} version={version} />
      )}
      <div className={styles['about']}>
        <h2 className="cut" title={modelName}>
          <Link href={address}>
            <bdi>{modelName}</bdi>
          </Link>
        </h2>
        <p className="dim s row">
          <span className="tag">v{modelVersion}</span>
          <LockMark isLocked={model.currentState === 'LOCKED'} />
          <span className="cut">{t.changed(<Time at={model.modelUpdateDate} as="ago" />)}</span>
        </p>
        <p className="m">{t.nEntities(totalOf(counts))}</p>
        {shown.length > 0 && (
          <ul className={styles['states']} aria-label={t.byState}>
            {shown.map(({ state, count }) => (
              <li key={state}>
                <Link href={`${address}?${printFilter({ state, where: [] })}`} title={state}>
                  <bdi className="cut">{state}</bdi> <b>{formatCount(count)}</b>
                </Link>
              </li>
            ))}
            {counts.length > shown.length && (
              <li className="dim">{t.and(t.nMoreStates(counts.length - shown.length))}</li>
            )}
          </ul>
        )}
      </div>
    </article>
  );
}

export function EntitiesPage() {
  useTitle(t.entities);
  useLive(['models', 'entities', 'definitions']);
  const models = useQuery(modelsQuery());
  const counts = useQuery(stateCountsQuery());
  const definitions = useQuery(modelDefinitionsQuery(''));
  return (
    <>
      <div className={styles['head']}>
        <h1>{t.entities}</h1>
        <span className="dim">{t.thingsThatLiveThrough}</span>
      </div>
      {models.isPending && <Skeleton lines={6} />}
      {models.isError && <Failed problem={models.error} onRetry={models.refetch} what={t.theModels} />}
      {models.isSuccess && models.data.length === 0 && (
        <Empty title={t.thereIsNoModelYet}>
          {t.aModelSaysWhichFields(<code>POST /api/model/import</code>)}
        </Empty>
      )}
      {counts.isError && <Failed problem={counts.error} onRetry={counts.refetch} what={t.theCounts} />}
      {models.isSuccess && (
        <div className={styles['models']}>
          {models.data.map((model) => (
            <ModelCard
              key={model.id}
              model={model}
              counts={countsOf(counts.data ?? [], model.modelName, model.modelVersion)}
              version={definitions.data?.get(definitionIdOf(model.modelName, model.modelVersion))}
            />
          ))}
        </div>
      )}
    </>
  );
}
