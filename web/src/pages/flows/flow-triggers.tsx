/* pages/flows/flow-triggers.tsx — what begins a flow: each trigger can be switched off and on here. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';

import { definitionTriggersQuery, pauseTrigger, resumeTrigger, type Trigger } from '../../api/triggers';
import { triggerAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Failed } from '../../ui/failed';
import { useMay } from '../../ui/may';
import { whoCan } from '../../ui/permissions';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { kindWord } from '../../ui/trigger-words';
import { t } from '../../texts/flows';
import styles from './flows.module.css';

interface FlowTriggersProps {
  readonly definitionId: string;
  /** The author's names of the triggers, by their ids. */
  readonly labels: ReadonlyMap<string, string>;
}

export function FlowTriggers({ definitionId, labels }: FlowTriggersProps) {
  const list = useQuery(definitionTriggersQuery(definitionId));
  const items = list.data?.items ?? [];
  return (
    <section className="card">
      <header>
        <h2>{t.triggers}</h2>
        <span className="count">{t.nTriggers(items.length)}</span>
      </header>
      {list.isPending && <Skeleton lines={2} />}
      {list.isError && <Failed problem={list.error} onRetry={list.refetch} what={t.theTriggers} />}
      <ul className={styles['triggers']}>
        {items.map((trigger) => (
          <li key={trigger.trigger}>
            <Switch trigger={trigger} label={labels.get(trigger.trigger) ?? trigger.trigger} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Switch({ trigger, label }: { readonly trigger: Trigger; readonly label: string }) {
  const queries = useQueryClient();
  const may = useMay();
  const isOn = trigger.state === 'active';
  const toggle = useMutation({
    mutationFn: () => (isOn ? pauseTrigger(trigger) : resumeTrigger(trigger)),
    onSuccess: () => announce(isOn ? t.isOff(label) : t.isOn(label)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['triggers'] }),
  });
  return (
    <>
      <div className={styles['trigger']}>
        <span>
          <Link className="m cut" href={triggerAddress(trigger.definitionId, trigger.trigger)} title={label}>
            <bdi>{label}</bdi>
          </Link>
          <small className="cut">
            {kindWord(trigger.type)}
            {trigger.nextAt !== undefined && isOn && <>{t.next(<Time at={trigger.nextAt} as="zoned" />)}</>}
          </small>
        </span>
        <button
          type="button"
          role="switch"
          className={styles['switch']}
          aria-checked={isOn}
          aria-label={label}
          disabled={toggle.isPending || !may('triggers:operate')}
          {...(may('triggers:operate') ? {} : { title: whoCan('triggers:operate') })}
          onClick={() => toggle.mutate()}
        >
          <i aria-hidden="true" />
          <span aria-hidden="true">{isOn ? t.on : t.off}</span>
        </button>
      </div>
      {toggle.isError && <Failed problem={toggle.error} />}
    </>
  );
}
