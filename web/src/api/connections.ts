/* api/connections.ts — connections and secrets: which are there, who uses them, whether they work. Values only go in. */
import { queryOptions } from '@tanstack/react-query';

import { api, done, ok, type Schemas } from './client';

export type Connection = Schemas['Connection'];
export type ConnectionKind = Connection['kinds'][number];
export type TestKind = 'mail' | 'database' | 'broker';

/** The engine's own mail server among connections. */
export const OWN_MAIL = '.smtp';

export const connectionsQuery = () =>
  queryOptions({
    queryKey: ['connections'],
    queryFn: ({ signal }) => ok(api.GET('/api/connections', { signal })),
  });

export const testConnection = (name: string, kind: TestKind, to: string) =>
  ok(
    api.POST('/api/connections/{name}/test', {
      params: { path: { name } },
      body: kind === 'mail' ? { kind, to } : { kind },
    }),
  );

export const setSecret = (name: string, value: string) =>
  ok(api.PUT('/api/secrets/{name}', { params: { path: { name } }, body: { value } }));

export const removeSecret = (name: string) =>
  done(api.DELETE('/api/secrets/{name}', { params: { path: { name } } }));
