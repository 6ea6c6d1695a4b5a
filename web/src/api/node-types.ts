/* api/node-types.ts — the types of steps with their labels, ports and fields; the engine checks documents against the same table. */
import { queryOptions } from '@tanstack/react-query';

import type { NodeType, NodeTypes } from '../flow/data';
import { api, ok } from './client';

export const nodeTypesQuery = queryOptions({
  queryKey: ['nodeTypes'],
  queryFn: async ({ signal }): Promise<NodeTypes> => {
    const { nodeTypes } = (await ok(api.GET('/api/node-types', { signal }))) as unknown as {
      nodeTypes: NodeType[];
    };
    return new Map(nodeTypes.map((type) => [type.type, type]));
  },
  staleTime: Infinity,
});
