/* pages/flows/deploy-drop.tsx — a place to drop files on: the engine checks each, and what it takes is published when one says so.
 * Buttons do the same for who does not drag, and a text box is for who has no file. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { Link } from 'wouter';

import { type Checks, checkText } from '../../api/checks';
import { deployText } from '../../api/definitions';
import { flowAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { useMay } from '../../ui/may';
import { StatusMark } from '../../ui/status-mark';
import { t } from '../../texts/flows';
import styles from './flows.module.css';
import { problemLines } from './problem-lines';
import { ProblemList } from './problem-list';
import { PublishDialog } from './publish-dialog';

const FILE_MAX = 4 * 1024 * 1024;

interface Checked {
  readonly name: string;
  readonly text: string;
  /** Null: the engine could not read it at all, and said why. */
  readonly checks: Checks | null;
  readonly lines: readonly string[];
  readonly published: { readonly id: string; readonly version: number } | null;
}

async function checkFile(file: File): Promise<Checked> {
  const checked = { name: file.name, text: '', checks: null, lines: [], published: null };
  if (file.size > FILE_MAX) return { ...checked, lines: [t.theFileIsLargerThan] };
  try {
    const text = await file.text();
    return { ...checked, text, checks: await checkText(text) };
  } catch (thrown) {
    return { ...checked, lines: problemLines(thrown) };
  }
}

async function publishFile(file: Checked): Promise<Checked> {
  if (file.checks?.valid !== true || file.published !== null) return file;
  try {
    return { ...file, published: await deployText(file.text) };
  } catch (thrown) {
    return { ...file, lines: problemLines(thrown) };
  }
}

async function eachInTurn<From, To>(
  items: readonly From[],
  work: (item: From) => Promise<To>,
): Promise<To[]> {
  const all: To[] = [];
  for (const item of items) all.push(await work(item));
  return all;
}

interface DeployDropProps {
  /** Where the buttons stand, and what the files are. */
  readonly children: (buttons: ReactNode, files: ReactNode) => ReactNode;
}

export function DeployDrop({ children }: DeployDropProps) {
  const queries = useQueryClient();
  const may = useMay();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [files, setFiles] = useState<readonly Checked[]>([]);
  const [text, setText] = useState<string | null>(null);
  const check = useMutation({
    mutationFn: (chosen: readonly File[]) => eachInTurn(chosen, checkFile),
    onSuccess: (checked) => {
      setFiles(checked);
      const good = checked.filter(({ checks }) => checks?.valid === true).length;
      announce(t.ofCanBePublished(good, t.nFiles(checked.length)));
    },
  });
  const publish = useMutation({
    mutationFn: () => eachInTurn(files, publishFile),
    onSuccess: async (outcomes) => {
      setFiles(outcomes);
      announce(t.published2(t.nFlows(outcomes.filter(({ published }) => published !== null).length)));
      await queries.invalidateQueries({ queryKey: ['definitions'] });
    },
  });
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const dropped = [...event.dataTransfer.files];
    if (dropped.length > 0 && may('definitions:write')) check.mutate(dropped);
  };
  const buttons = (
    <>
      <Button
        icon="file"
        needs="definitions:write"
        isBusy={check.isPending}
        onClick={() => input.current?.click()}
      >
        {t.publishAFile}
      </Button>
      <Button needs="definitions:write" onClick={() => setText('')}>
        {t.publishAText}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".json,.yaml,.yml"
        aria-label={t.filesToPublish}
        onChange={(event) => {
          check.mutate([...(event.target.files ?? [])]);
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
      {children(
        buttons,
        files.length > 0 && (
          <Files
            files={files}
            isBusy={publish.isPending}
            onPublish={() => publish.mutate()}
            onEdit={setText}
            onClose={() => setFiles([])}
          />
        ),
      )}
      {text !== null && <PublishDialog initial={text} onClose={() => setText(null)} />}
    </div>
  );
}

interface FilesProps {
  readonly files: readonly Checked[];
  readonly isBusy: boolean;
  readonly onPublish: () => void;
  readonly onEdit: (text: string) => void;
  readonly onClose: () => void;
}

function Files({ files, isBusy, onPublish, onEdit, onClose }: FilesProps) {
  const ready = files.filter(({ checks, published }) => checks?.valid === true && published === null).length;
  return (
    <section className={`card ${styles['outcomes'] ?? ''}`} aria-label={t.whatTheFiles}>
      <header>
        <h2>{t.nFiles(files.length)}</h2>
        <span className="end">
          {ready > 0 && (
            <Button look="primary" isSmall isBusy={isBusy} onClick={onPublish}>
              {t.publish(t.nFlows(ready))}
            </Button>
          )}
          <Button look="quiet" isSmall icon="close" label={t.close} onClick={onClose} />
        </span>
      </header>
      <ul>
        {files.map((file, index) => (
          <li key={index}>
            <FileLine file={file} onEdit={() => onEdit(file.text)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function FileLine({ file, onEdit }: { readonly file: Checked; readonly onEdit: () => void }) {
  const { name, checks, lines, published } = file;
  if (published !== null)
    return (
      <div className="row">
        <StatusMark status="completed" word={t.published3} isSmall />
        <Link href={flowAddress(published.id)} className="link cut">
          {published.id} v{published.version}
        </Link>
        <span className="dim s cut">{name}</span>
      </div>
    );
  const isGood = checks?.valid === true && lines.length === 0;
  return (
    <>
      <div className="row">
        <StatusMark
          status={isGood ? 'completed' : 'failed'}
          word={isGood ? t.canBePublished : t.cannotBePublished}
          isSmall
        />
        <b className="cut">{name}</b>
        {checks?.name !== undefined && <span className="dim s cut">{checks.name}</span>}
        <span className="grow" />
        {file.text !== '' && (
          <Button isSmall onClick={onEdit}>
            {t.openAsText}
          </Button>
        )}
      </div>
      {lines.map((line, index) => (
        <p key={index} className={styles['line']}>
          {line}
        </p>
      ))}
      {checks !== null && <ProblemList checks={checks} />}
    </>
  );
}
