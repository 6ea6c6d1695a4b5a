/* pages/flows/restore-button.tsx — makes an older version the current one again: its text is published once more. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { restoreVersion } from '../../api/definitions';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';
import { t } from '../../texts/flows';

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
      announce(t.versionHasTheText(made, version));
      setAsking(false);
      await queries.invalidateQueries({ queryKey: ['definitions'] });
    },
  });
  return (
    <>
      <Button isSmall look="quiet" needs="definitions:write" onClick={() => setAsking(true)}>
        {t.makeVersionTheCurrentOne(version)}
      </Button>
      {isAsking && (
        <Dialog
          title={t.makeVersionTheCurrentOne2(version)}
          onClose={() => setAsking(false)}
          onSubmit={() => restore.mutate()}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>{t.back}</Button>
              <Button look="primary" type="submit" isBusy={restore.isPending}>
                {t.publishItAsVersion(latest + 1)}
              </Button>
            </>
          }
        >
          <p className="mid">{t.newRunsTakeTheText(version, latest)}</p>
          {restore.isError && <Failed problem={restore.error} />}
        </Dialog>
      )}
    </>
  );
}
