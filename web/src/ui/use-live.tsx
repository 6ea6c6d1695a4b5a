/* ui/use-live.tsx — the page's event stream, and whether it is open. Each page calls useLive() once, with its topics. */
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState } from 'react';

import { type LiveState, openLive } from '../api/live';

export interface LiveReport {
  readonly state: LiveState;
  readonly report: (state: LiveState) => void;
}

/** The shell shows the state of the stream that the page has opened. */
export const LiveContext = createContext<LiveReport>({ state: 'connecting', report: () => undefined });

export function useLive(topics: readonly string[]): LiveState {
  const queries = useQueryClient();
  const { report } = useContext(LiveContext);
  const [state, setState] = useState<LiveState>('connecting');
  const names = topics.join(',');
  useEffect(() => {
    const live = openLive(names.split(','), queries);
    const tell = () => {
      setState(live.state());
      report(live.state());
    };
    const unsubscribe = live.subscribe(tell);
    return () => {
      unsubscribe();
      live.close();
    };
  }, [names, queries, report]);
  return state;
}
