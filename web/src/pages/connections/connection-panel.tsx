/* pages/connections/connection-panel.tsx — one connection: where its value is, which steps use it, a test, a new value. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';

import { type Connection, connectionsQuery, removeSecret } from '../../api/connections';
import { flowAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { StatusMark } from '../../ui/status-mark';
import { Time } from '../../ui/time';
import { t } from '../../texts/connections';
import styles from './connections.module.css';
import { TestForm } from './test-form';
import { isOurs, kindWords, sourceWords, stateOf, testKinds } from './words';

function RemoveDialog({ item, onClose }: { readonly item: Connection; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeSecret(item.name),
    onSuccess: async () => {
      announce(t.isGone(item.name));
      onClose();
      await queries.invalidateQueries({ queryKey: connectionsQuery().queryKey });
    },
  });
  return (
    <Dialog
      title={t.remove(item.name)}
      onClose={onClose}
      onSubmit={() => remove.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{t.letIt}</Button>
          <Button look="danger" type="submit" isBusy={remove.isPending}>
            {t.removeIt}
          </Button>
        </>
      }
    >
      <p className="mid">
        {t.itsValueCannotBeBrought(
          item.uses > 0 ? t.itIsUsedAtSteps(t.nPlaces(item.uses)) : t.noPublishedFlowUses,
        )}
      </p>
      {remove.isError && <Failed problem={remove.error} />}
    </Dialog>
  );
}

function Uses({ item }: { readonly item: Connection }) {
  if (item.uses === 0) return <p className="mid">{t.noPublishedFlowUses}</p>;
  return (
    <ul className={styles['uses']}>
      {item.usedBy.map((use) => (
        <li key={`${use.definitionId} ${use.pointer}`}>
          <Link href={flowAddress(use.definitionId)} className="link" dir="auto">
            {use.name}
          </Link>
          <small>
            {t.version(use.version)}
            {use.pointer !== '' && t.at(use.pointer)}
          </small>
        </li>
      ))}
      {item.uses > item.usedBy.length && <li className="dim">{t.andMore(item.uses - item.usedBy.length)}</li>}
    </ul>
  );
}

interface ConnectionPanelProps {
  readonly item: Connection;
  readonly onSet: () => void;
  readonly onClose: () => void;
}

export function ConnectionPanel({ item, onSet, onClose }: ConnectionPanelProps) {
  const [isRemoving, setRemoving] = useState(false);
  const state = stateOf(item);
  const kinds = testKinds(item);
  return (
    <aside className={styles['panel']} aria-label={t.theConnection}>
      <header>
        <div className="grow">
          <h2 dir="auto">{item.name}</h2>
          <StatusMark status={state.status} word={state.word} isSmall />
        </div>
        <Button look="quiet" isSmall icon="close" label={t.closeTheConnection} onClick={onClose} />
      </header>
      <section>
        <h3>{kindWords(item.kinds)}</h3>
        <p>{sourceWords(item)}</p>
        {item.updatedAt !== undefined && (
          <p className="mid">{t.changed(<Time at={item.updatedAt} as="ago" />)}</p>
        )}
        {item.broker !== undefined && (
          <p className="mid">
            {item.broker.connected ? t.theEngineIsConnected : t.theEngineIsNotConnected}
            {item.broker.why !== undefined && `: ${item.broker.why}`}.
          </p>
        )}
        {isOurs(item) && (
          <div className="row">
            <Button needs="secrets:write" icon="key" onClick={onSet}>
              {item.isSet ? t.newValue : t.setIt}
            </Button>
            {item.isSet && (
              <Button look="quiet" needs="secrets:write" onClick={() => setRemoving(true)}>
                {t.remove2}
              </Button>
            )}
          </div>
        )}
      </section>
      {item.isSet && (
        <section>
          <h3>{t.doesItWork}</h3>
          {kinds.length > 0 ? (
            <TestForm key={item.name} name={item.name} kinds={kinds} />
          ) : (
            <p className="mid">{t.aCallThatUses}</p>
          )}
        </section>
      )}
      <section>
        <h3>{t.usedBy}</h3>
        <Uses item={item} />
      </section>
      {isRemoving && <RemoveDialog item={item} onClose={() => setRemoving(false)} />}
    </aside>
  );
}
