/* api/node-types.ts — the table of fields: types of steps with their labels, ports and fields, settings of flows. The engine checks
 * documents against the same table. */
import { queryOptions } from '@tanstack/react-query';

import { type NodeTable, readTable, type TableAnswer } from '../flow/table';
import { api, ok } from './client';

export const nodeTypesQuery = queryOptions({
  queryKey: ['nodeTypes'],
  queryFn: async ({ signal }): Promise<NodeTable> =>
    readTable((await ok(api.GET('/api/node-types', { signal }))) as unknown as TableAnswer),
  staleTime: Infinity,
});
