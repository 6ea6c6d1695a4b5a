/* app/use-finds.ts — asks for everything that a few letters can mean, a moment after the last one was typed. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import {
  beginsEntityId,
  findEntitiesQuery,
  findFlowsQuery,
  findModelsQuery,
  findRunsQuery,
  findTasksQuery,
  findTriggersQuery,
  isEntityId,
} from '../api/find';
import {
  entityAddress,
  flowAddress,
  inboxAddress,
  modelAddress,
  runAddress,
  runsAddress,
  triggerAddress,
} from '../ui/addresses';
import { useMay } from '../ui/may';
import { kindWord } from '../ui/trigger-words';
import { dialectWord, lookOf } from '../ui/words';
import { t } from '../texts/app';
import { type Find, findPages } from './finds';
import { navFor } from './routes';

const CALM_MS = 150;
/** One letter means too much. */
const LETTERS_MIN = 2;

export interface Finds {
  readonly finds: readonly Find[];
  /** Places that were not looked into, in words; empty: nothing. */
  readonly missing: string;
  /** Whether the engine has answered what is typed now. */
  readonly isReady: boolean;
}

const allRuns = (text: string): Find => ({
  key: t.allRuns,
  group: t.search,
  icon: 'search',
  title: t.allRunsWhoseKeyBegins(text),
  note: '',
  href: runsAddress(new URLSearchParams({ keyword: text }).toString()),
});

export function useFinds(typed: string, isOpen: boolean): Finds {
  const text = typed.trim();
  const [calm, setCalm] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setCalm(text), CALM_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const enabled = isOpen && calm.length >= LETTERS_MIN;
  const may = useMay();
  const hasFlows = enabled && may('definitions:read');
  const hasRuns = may('instances:read');
  const flows = useQuery({ ...findFlowsQuery(calm), enabled: hasFlows });
  const runs = useQuery({ ...findRunsQuery(calm), enabled: enabled && hasRuns });
  const tasks = useQuery({ ...findTasksQuery(calm), enabled: enabled && may('tasks:read') });
  const triggers = useQuery({ ...findTriggersQuery(calm), enabled: hasFlows });
  const hasEntities = may('entities:read');
  const models = useQuery({ ...findModelsQuery(calm), enabled: hasFlows && hasEntities });
  const isId = hasEntities && beginsEntityId(calm);
  const entities = useQuery({ ...findEntitiesQuery(calm), enabled: enabled && isId && !isEntityId(calm) });
  const pages = findPages(navFor(may), text);
  if (!enabled || calm !== text) return { finds: pages, missing: '', isReady: false };
  const finds: Find[] = [
    ...pages,
    ...(flows.data ?? []).map(({ definitionId, name, dialect }): Find => ({
      key: `flow ${definitionId}`,
      group: t.flows,
      icon: 'flows',
      title: name,
      note: dialectWord(dialect),
      href: flowAddress(definitionId),
    })),
    ...(runs.data ?? []).map((run): Find => ({
      key: `run ${run.id}`,
      group: t.runs,
      icon: lookOf(run.status).icon,
      title: run.businessKey ?? run.id,
      note: `${lookOf(run.status).word}, ${run.definitionName}`,
      href: runAddress(run.id),
    })),
    ...(tasks.data ?? []).map((task): Find => ({
      key: `task ${task.id}`,
      group: t.peoplesTasks,
      icon: 'person',
      title: task.title,
      note: task.businessKey ?? task.definitionId,
      href: inboxAddress(task.id),
    })),
    ...(models.data ?? []).map(({ modelName, modelVersion }): Find => ({
      key: `model ${modelName} ${modelVersion}`,
      group: t.entities,
      icon: 'entity',
      title: modelName,
      note: t.version(modelVersion),
      href: modelAddress(modelName, modelVersion),
    })),
    ...(isId ? (entities.data?.items ?? []) : []).map(({ meta }): Find => ({
      key: `entity ${meta.id}`,
      group: t.entities,
      icon: 'entity',
      title: meta.id,
      note: `${meta.modelKey.name}, ${meta.state}`,
      href: entityAddress(meta.id),
    })),
    ...(isId && isEntityId(calm)
      ? [
          {
            key: `entity ${calm}`,
            group: t.entities,
            icon: 'entity' as const,
            title: calm,
            note: t.openTheEntity,
            href: entityAddress(calm),
          },
        ]
      : []),
    ...(triggers.data?.items ?? []).map((trigger): Find => ({
      key: `trigger ${trigger.definitionId} ${trigger.trigger}`,
      group: t.triggers,
      icon: 'trigger',
      title: trigger.label ?? trigger.trigger,
      note: `${kindWord(trigger.type)}, ${trigger.definitionName ?? trigger.definitionId}`,
      href: triggerAddress(trigger.definitionId, trigger.trigger),
    })),
    ...(hasRuns ? [allRuns(text)] : []),
  ];
  const isReady = [flows, runs, tasks, triggers, models, entities].every(({ isLoading }) => !isLoading);
  const missing = [
    triggers.data?.isCut === true ? t.notAllTriggersWereLooked : '',
    isId
      ? entities.data?.isCut === true
        ? t.onlyTheNewestEntitiesWere
        : ''
      : hasEntities
        ? t.aSingleEntityIsFound
        : '',
  ];
  return { finds, missing: missing.filter((line) => line !== '').join(' '), isReady };
}
