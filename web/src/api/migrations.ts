/* api/migrations.ts — living runs that go on with another version: what would become of them, and the command. */
import { queryOptions } from '@tanstack/react-query';

import { t } from '../texts/ui';
import type { Bulk, BulkPreview } from './bulk';
import { api, ok, type Schemas } from './client';
import { Problem } from './problem';

export type Migration = Schemas['MigrationRequest'];

/** Tries the migration of each run. Nothing is written. */
export const migrationPreviewQuery = (asked: Migration) =>
  queryOptions({
    queryKey: ['instances', null, 'migration', asked],
    queryFn: async ({ signal }): Promise<BulkPreview> => {
      const answer = await ok(api.POST('/api/migrations', { body: { ...asked, dryRun: true }, signal }));
      if (!('dryRun' in answer)) throw new Problem(500, '', t.theEngineGaveNoPreview, answer);
      return answer;
    },
    staleTime: 0,
  });

export async function beginMigration(asked: Migration, key: string): Promise<Bulk> {
  const answer = await ok(
    api.POST('/api/migrations', { params: { header: { 'Idempotency-Key': key } }, body: asked }),
  );
  if (!('id' in answer)) throw new Problem(500, '', t.theEngineBeganNothing, answer);
  return answer;
}
