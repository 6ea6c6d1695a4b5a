/* pages/home/home-page.tsx — what needs somebody, first. */
import { useQuery } from '@tanstack/react-query';

import { api, ok } from '../../api/client';
import { useLive } from '../../ui/use-live';

export function HomePage() {
  useLive(['overview', 'instances', 'tasks']);
  const reasons = useQuery({
    queryKey: ['instances', undefined, 'reasons'],
    queryFn: ({ signal }) => ok(api.GET('/v1/instances/reasons', { signal })),
  });
  if (reasons.isPending) return null;
  if (reasons.isError) return <p role="alert">{reasons.error.message}</p>;
  return <h1>{reasons.data.total} runs failed</h1>;
}
