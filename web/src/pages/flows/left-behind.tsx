/* pages/flows/left-behind.tsx — a new version was published, and runs that have begun still follow an older one: where to look at what would
 * become of them, and bring them along. */
import { useQueries } from '@tanstack/react-query';

import type { DefinitionDetails } from '../../api/definitions';
import { runsQuery } from '../../api/runs';
import { compareAddress } from '../../ui/addresses';
import { useMay } from '../../ui/may';
import { MayLink } from '../../ui/may-link';
import { t } from '../../texts/flows';

/** The newest older versions that are asked for. */
const LOOKED_AT = 5;
const LIVING = 'running,waiting,person,failed';

export function LeftBehind({ flow }: { readonly flow: DefinitionDetails }) {
  const may = useMay();
  const older = flow.versions
    .map(({ version }) => version)
    .filter((version) => version < flow.version)
    .sort((a, b) => b - a)
    .slice(0, LOOKED_AT);
  const found = useQueries({
    queries: older.map((version) => ({
      ...runsQuery({ definitionId: flow.definitionId, version, status: LIVING, pageSize: 1 }),
      enabled: may('instances:read'),
    })),
  });
  const version = older[found.findIndex(({ data }) => data !== undefined && data.items.length > 0)];
  if (version === undefined) return null;
  return (
    <p className="s">
      {t.runsFollowVersion(version)}{' '}
      <MayLink
        className="link"
        href={compareAddress(flow.definitionId, version, flow.version)}
        needs="instances:operate"
      >
        {t.lookAndBringThemAlong}
      </MayLink>
    </p>
  );
}
