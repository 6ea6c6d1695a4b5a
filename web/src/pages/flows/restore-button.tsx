/* pages/flows/restore-button.tsx — makes an older version the current one again: its text is published once more. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { restoreVersion } from '../../api/definitions';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';

interface RestoreButtonProps {
  readonly id: string;
  readonly version: number;
  readonly latest: number;
}

export function RestoreButton({ id, version, latest }: RestoreButtonProps) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [key] = useState(newKey);
  const restore = useMutation({
    mutationFn: () => restoreVersion(id, version, key),
    onSuccess: async (made) => {
      announce(`Version ${made} has the text of version ${version}.`);
      setAsking(false);
      await queries.invalidateQueries({ queryKey: ['definitions'] });
    },
  });
  return (
    <>
      <Button isSmall look="quiet" needs="definitions:write" onClick={() => setAsking(true)}>
        Make version {version} the current one…
      </Button>
      {isAsking && (
        <Dialog
          title={`Make version ${version} the current one?`}
          onClose={() => setAsking(false)}
          onSubmit={() => restore.mutate()}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>Back</Button>
              <Button look="primary" type="submit" isBusy={restore.isPending}>
                Publish it as version {latest + 1}
              </Button>
            </>
          }
        >
          <p className="mid">
            New runs take the text of version {version} then. Runs that have begun go on with theirs, and
            version {latest} stays in the list.
          </p>
          {restore.isError && <Failed problem={restore.error} />}
        </Dialog>
      )}
    </>
  );
}
