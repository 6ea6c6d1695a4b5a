/* pages/builder/gallery-page.tsx — never a blank canvas: six flows to begin with, a start from scratch, a draft, a file. */
import { useQuery } from '@tanstack/react-query';
import { type DragEvent, useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';

import { api, ok } from '../../api/client';
import { createDraft } from '../../api/drafts';
import { asProblem } from '../../api/problem';
import { templatesQuery } from '../../api/templates';
import { nodesOf, openValue } from '../../flow/flow';
import { isObject, type Json, parseJson } from '../../flow/json';
import { ownId, slugOf, underId, UNNAMED } from '../../flow/under-id';
import { builderAddress, flowsAddress } from '../../ui/addresses';
import { Crumbs } from '../../ui/crumbs';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { Picture } from '../../ui/picture';
import { formatAgo } from '../../ui/times';
import { useLive } from '../../ui/use-live';
import { useNow } from '../../ui/use-now';
import { useTitle } from '../../ui/use-title';
import { plural } from '../../ui/words';
import styles from './gallery.module.css';

const SCRATCH: Json = {
  dialect: 'graph/1',
  name: 'New flow',
  nodes: [
    { id: 'start_1', type: 'trigger_manual', label: 'Somebody asks' },
    { id: 'end_2', type: 'end', label: 'Done' },
  ],
  edges: [{ from: 'start_1', to: 'end_2' }],
};

const STEPS_SCRATCH: Json = {
  id: 'new-flow',
  name: 'New flow',
  steps: [{ id: 'end_1', name: 'Done', type: 'END' }],
};

const SERVERLESS_SCRATCH: Json = {
  id: 'new-flow',
  name: 'New flow',
  version: '1.0',
  startsAt: 'Begin',
  states: [{ name: 'Begin', type: 'RELAY', inject: { greeting: 'Hello' }, end: true }],
};

function useCreate() {
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const create = (name: string, document: Json) => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    createDraft(ownId(document) ?? slugOf(name), (id) => underId(document, id)).then(
      (id) => navigate(builderAddress(id)),
      (thrown: unknown) => {
        setProblem(asProblem(thrown));
        setBusy(false);
      },
    );
  };
  return { create, problem, setProblem };
}

export function GalleryPage() {
  useTitle('New flow');
  useLive(['drafts']);
  const { create, problem, setProblem } = useCreate();
  const templates = useQuery(templatesQuery);
  const take = (text: string, name: string) => {
    const outcome = parseJson(text);
    if (!outcome.ok) {
      setProblem(new Error(`${name} is no JSON: ${outcome.mistake.message} (line ${outcome.mistake.line}).`));
      return;
    }
    const own =
      isObject(outcome.value) && typeof outcome.value['name'] === 'string' ? outcome.value['name'] : name;
    create(own, outcome.value);
  };
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement) return;
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (text.trim().startsWith('{')) take(text, 'What you pasted');
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  });
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file !== undefined) void file.text().then((text) => take(text, file.name));
  };
  return (
    <div className={styles['gallery']} onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <Crumbs path={[{ word: 'Flows', href: flowsAddress }]} here="New flow" />
      <header>
        <h1>What should happen?</h1>
        <p className="mid">
          Take what comes closest. You change the words, test it in a minute, and publish when it is right.
          Nothing runs until then.
        </p>
      </header>
      {problem !== null && <Failed problem={problem} />}
      <div className={styles['cards']}>
        {templates.isError && (
          <Failed what="The templates" problem={templates.error} onRetry={templates.refetch} />
        )}
        {templates.data?.map((template) => (
          <button
            key={template.id}
            type="button"
            className={styles['card']}
            onClick={() => create(template.name, template.document as Json)}
          >
            <Thumb document={template.document as Json} name={template.name} />
            <span className={styles['about']}>
              <b>{template.name}</b>
              <span className="mid">{template.description}</span>
              <Facts document={template.document as Json} />
            </span>
          </button>
        ))}
        <button type="button" className={styles['other']} onClick={() => create(UNNAMED, SCRATCH)}>
          <span className={styles['square']}>
            <Icon name="plus" />
          </span>
          <span className="grow">
            <b>Start from scratch</b>
            <span className="dim s">With a start and an end on it already</span>
          </span>
          <Icon name="go" />
        </button>
        <Drafts />
        <FileCard onText={take} />
      </div>
      <details className={styles['formats']}>
        <summary>For developers: other ways to write a flow</summary>
        <div>
          <button type="button" className="btn" onClick={() => create(UNNAMED, STEPS_SCRATCH)}>
            Steps
          </button>
          <span className="mid s">
            Jobs that your own workers take, decisions and tables. On the canvas, too.
          </span>
          <button type="button" className="btn" onClick={() => create(UNNAMED, SERVERLESS_SCRATCH)}>
            Serverless workflow
          </button>
          <span className="mid s">The open standard, as text with a picture beside it.</span>
        </div>
      </details>
    </div>
  );
}

function Thumb({ document, name }: { readonly document: Json; readonly name: string }) {
  const picture = useQuery({
    queryKey: ['pictures', undefined, JSON.stringify(document)],
    queryFn: ({ signal }) =>
      ok(api.POST('/api/pictures', { params: { query: { layout: 'auto' } }, body: document, signal })),
    staleTime: Infinity,
  });
  return (
    <span className={styles['thumb']}>
      {picture.data !== undefined && <Picture picture={picture.data} label={`Picture of ${name}`} />}
    </span>
  );
}

function Facts({ document }: { readonly document: Json }) {
  const opened = openValue(document);
  if (opened.kind !== 'flow') return null;
  const nodes = nodesOf(opened.flow);
  const count = (type: string) => nodes.filter((node) => node.type === type).length;
  const persons = count('human_task');
  return (
    <span className={`dim s ${styles['facts'] ?? ''}`}>
      <span>
        <Icon name="flows" small />
        {plural(nodes.length, 'step')}
      </span>
      {persons > 0 && (
        <span>
          <Icon name="person" small />
          {plural(persons, 'person', 'people')}
        </span>
      )}
      {count('decision') > 0 && (
        <span>
          <Icon name="decision" small />
          decides
        </span>
      )}
      {count('parallel') > 0 && (
        <span>
          <Icon name="split" small />
          side by side
        </span>
      )}
      {count('for_each') > 0 && (
        <span>
          <Icon name="loop" small />
          repeats
        </span>
      )}
      {count('wait_event') > 0 && (
        <span>
          <Icon name="event" small />
          waits for an answer
        </span>
      )}
    </span>
  );
}

function Drafts() {
  const [, navigate] = useLocation();
  const now = useNow();
  const drafts = useQuery({
    queryKey: ['drafts', undefined, 'newest'],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/workflows/drafts', { params: { query: { pageSize: 50 } }, signal })),
  });
  const list = [...(drafts.data?.items ?? [])].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  const [newest] = list;
  if (newest === undefined)
    return (
      <p className={`${styles['other'] ?? ''} ${styles['empty'] ?? ''}`}>
        <span className={styles['square']}>
          <Icon name="flows" />
        </span>
        <span className="dim s">No draft waits for you.</span>
      </p>
    );
  return (
    <button
      type="button"
      className={styles['other']}
      onClick={() => navigate(builderAddress(newest.definitionId))}
    >
      <span className={styles['square']}>
        <Icon name="flows" />
      </span>
      <span className="grow">
        <b>Go on with a draft</b>
        <span className="dim s cut">
          {newest.name ?? newest.definitionId}, saved {formatAgo(newest.updatedAt, now)}
        </span>
      </span>
      <Icon name="go" />
    </button>
  );
}

function FileCard({ onText }: { readonly onText: (text: string, name: string) => void }) {
  const id = useId();
  return (
    <label htmlFor={id} className={`${styles['other'] ?? ''} ${styles['drop'] ?? ''}`}>
      <span className={styles['square']}>
        <Icon name="file" />
      </span>
      <span className="grow">
        <b>Drop a file or paste text</b>
        <span className="dim s">A flow that somebody saved</span>
      </span>
      <kbd>Ctrl V</kbd>
      <input
        id={id}
        className="sr"
        type="file"
        accept=".json,application/json"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file !== undefined) void file.text().then((text) => onText(text, file.name));
          event.target.value = '';
        }}
      />
    </label>
  );
}
