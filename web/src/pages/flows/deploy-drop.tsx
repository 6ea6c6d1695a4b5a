/* pages/flows/deploy-drop.tsx — a place to drop files on: each is published as it is, or its problems are shown. A button does
 * the same for who does not drag. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { Link } from 'wouter';

import { deployText } from '../../api/definitions';
import { flowAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import styles from './flows.module.css';
import { problemLines } from './problem-lines';

const FILE_MAX = 4 * 1024 * 1024;

interface Outcome {
  readonly name: string;
  readonly deployed: { readonly id: string; readonly version: number } | null;
  readonly lines: readonly string[];
}

async function deployFile(file: File): Promise<Outcome> {
  if (file.size > FILE_MAX)
    return { name: file.name, deployed: null, lines: ['The file is larger than 4 MB.'] };
  try {
    return { name: file.name, deployed: await deployText(await file.text()), lines: [] };
  } catch (thrown) {
    return { name: file.name, deployed: null, lines: problemLines(thrown) };
  }
}

export function DeployDrop({ children }: { readonly children: (button: ReactNode) => ReactNode }) {
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const deploy = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const outcomes: Outcome[] = [];
      for (const file of files) outcomes.push(await deployFile(file));
      return outcomes;
    },
    onSuccess: async (outcomes) => {
      const good = outcomes.filter(({ deployed }) => deployed !== null).length;
      announce(`${good} of ${outcomes.length} published.`);
      await queries.invalidateQueries({ queryKey: ['definitions'] });
    },
  });
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const files = [...event.dataTransfer.files];
    if (files.length > 0) deploy.mutate(files);
  };
  const button = (
    <>
      <Button icon="file" isBusy={deploy.isPending} onClick={() => input.current?.click()}>
        Publish a file…
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".json,.yaml,.yml"
        aria-label="Files to publish"
        onChange={(event) => {
          deploy.mutate([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </>
  );
  return (
    <div
      className={styles['drop']}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {children(button)}
      {deploy.data !== undefined && (
        <ul className={`card ${styles['outcomes'] ?? ''}`} aria-label="What became of the files">
          {deploy.data.map(({ name, deployed, lines }) => (
            <li key={name}>
              <span className={deployed === null ? 'st failed' : 'st done'}>
                <Icon name={deployed === null ? 'failed' : 'done'} />
                {deployed === null ? 'Not published' : 'Published'}
              </span>
              {deployed === null ? (
                <b className="cut">{name}</b>
              ) : (
                <Link href={flowAddress(deployed.id)} className="link">
                  {deployed.id} v{deployed.version}
                </Link>
              )}
              {lines.length > 0 && (
                <ul>
                  {lines.map((line, index) => (
                    <li key={index}>{line}</li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
