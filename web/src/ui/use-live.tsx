/* ui/use-live.tsx — the page's event stream, and whether it is open. Each page calls useLive() once, with its topics. */
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, useState } from 'react';

import { type Live, type LiveState, openLive, type Subject } from '../api/live';
import { useMay } from './may';
import type { Permission } from './permissions';

/** The permission that a stream needs for a topic. */
const TOPIC_NEEDS: Readonly<Record<string, Permission>> = {
  overview: 'metrics:read',
  workers: 'metrics:read',
  instances: 'instances:read',
  arrivals: 'instances:read',
  bulk: 'instances:read',
  tasks: 'tasks:read',
  entities: 'entities:read',
  models: 'definitions:read',
  definitions: 'definitions:read',
  triggers: 'definitions:read',
  drafts: 'definitions:write',
};

function needOf(topic: string): Permission {
  return TOPIC_NEEDS[topic.split('/')[0] ?? ''] ?? 'access:admin';
}

export interface LiveReport {
  /** Null: the page has no stream. */
  readonly state: LiveState | null;
  readonly report: (state: LiveState | null) => void;
}

/** The shell shows the state of the stream that the page has opened. */
export const LiveContext = createContext<LiveReport>({ state: 'connecting', report: () => undefined });

/** `draft`: the one that the page has open, of which the engine tells others. `isHeld`: the page deletes what it is about, and must not
 * ask for it. `subject`: the one thing that the page is about, the same object each time. */
export function useLive(
  topics: readonly string[],
  draft = '',
  isHeld = false,
  subject: Subject | null = null,
): LiveState {
  const queries = useQueryClient();
  const stream = useRef<Live | null>(null);
  const { report } = useContext(LiveContext);
  const [state, setState] = useState<LiveState>('connecting');
  const may = useMay();
  // The engine would refuse the whole stream for one topic that is not for everybody.
  const names = topics.filter((topic) => may(needOf(topic))).join(',');
  useEffect(() => {
    if (names === '') {
      report(null);
      return;
    }
    const live = openLive(names.split(','), queries, draft, subject);
    stream.current = live;
    const tell = () => {
      setState(live.state());
      report(live.state());
    };
    const unsubscribe = live.subscribe(tell);
    return () => {
      unsubscribe();
      live.close();
      stream.current = null;
    };
  }, [names, draft, queries, report, subject]);
  useEffect(() => stream.current?.hold(isHeld), [isHeld, names, draft, queries, report, subject]);
  return state;
}
