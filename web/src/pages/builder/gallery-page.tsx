/* pages/builder/gallery-page.tsx — never a blank canvas: six flows to begin with, a start from scratch, a draft, a file. */
import { useQuery } from '@tanstack/react-query';
import { type DragEvent, useEffect, useId, useMemo, useState } from 'react';
import { useLocation } from 'wouter';

import { api, ok } from '../../api/client';
import { createDraft } from '../../api/drafts';
import { asProblem } from '../../api/problem';
import { type Template, templatesQuery } from '../../api/templates';
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
import { sayKey } from '../../ui/keys';
import { t } from '../../texts/builder';
import { t as words } from '../../texts/gallery';
import styles from './gallery.module.css';
import { inWords } from './template-words';

const SCRATCH: Json = {
  dialect: 'graph/1',
  name: t.newFlow,
  nodes: [
    { id: 'start_1', type: 'trigger_manual', label: t.somebodyAsks },
    { id: 'end_2', type: 'end', label: t.done },
  ],
  edges: [{ from: 'start_1', to: 'end_2' }],
};

const STEPS_SCRATCH: Json = {
  id: 'new-flow',
  name: t.newFlow,
  steps: [{ id: 'end_1', name: t.done, type: 'END' }],
};

const SERVERLESS_SCRATCH: Json = {
  id: 'new-flow',
  name: t.newFlow,
  version: '1.0',
  startsAt: t.begin,
  states: [{ name: t.begin, type: 'RELAY', inject: { greeting: t.hello }, end: true }],
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
  useTitle(t.newFlow);
  useLive(['drafts']);
  const { create, problem, setProblem } = useCreate();
  const templates = useQuery(templatesQuery);
  const take = (text: string, name: string) => {
    const outcome = parseJson(text);
    if (!outcome.ok) {
      setProblem(new Error(t.isNoJson(name, outcome.mistake.message, outcome.mistake.line)));
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
      if (text.trim().startsWith('{')) take(text, t.whatYouPasted);
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
      <Crumbs path={[{ word: t.flows, href: flowsAddress }]} here={t.newFlow} />
      <header>
        <h1>{t.whatShouldHappen}</h1>
        <p className="mid">{t.takeWhatComesClosestYou}</p>
      </header>
      {problem !== null && <Failed problem={problem} />}
      <div className={styles['cards']}>
        {templates.isError && (
          <Failed what={t.theTemplates} problem={templates.error} onRetry={templates.refetch} />
        )}
        {templates.data?.map((template) => (
          <TemplateCard key={template.id} template={template} onTake={create} />
        ))}
        <button type="button" className={styles['other']} onClick={() => create(UNNAMED, SCRATCH)}>
          <span className={styles['square']}>
            <Icon name="plus" />
          </span>
          <span className="grow">
            <b>{t.startFromScratch}</b>
            <span className="dim s">{t.withAStart}</span>
          </span>
          <Icon name="go" />
        </button>
        <Drafts />
        <FileCard onText={take} />
      </div>
      <details className={styles['formats']}>
        <summary>{t.forDevelopersOtherWays}</summary>
        <div>
          <button type="button" className="btn" onClick={() => create(UNNAMED, STEPS_SCRATCH)}>
            {t.steps}
          </button>
          <span className="mid s">{t.jobsThatYourOwnWorkers}</span>
          <button type="button" className="btn" onClick={() => create(UNNAMED, SERVERLESS_SCRATCH)}>
            {t.serverlessWorkflow}
          </button>
          <span className="mid s">{t.theOpenStandardAsText}</span>
        </div>
      </details>
    </div>
  );
}

interface TemplateCardProps {
  readonly template: Template;
  readonly onTake: (name: string, document: Json) => void;
}

function TemplateCard({ template, onTake }: TemplateCardProps) {
  const document = useMemo(() => inWords(template.document as Json, words), [template]);
  const name = words[template.name] ?? template.name;
  return (
    <button type="button" className={styles['card']} onClick={() => onTake(name, document)}>
      <Thumb document={document} name={name} />
      <span className={styles['about']}>
        <b>{name}</b>
        <span className="mid">{words[template.description] ?? template.description}</span>
        <Facts document={document} />
      </span>
    </button>
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
      {picture.data !== undefined && <Picture picture={picture.data} label={t.pictureOf(name)} />}
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
        {t.nSteps(nodes.length)}
      </span>
      {persons > 0 && (
        <span>
          <Icon name="person" small />
          {t.nPeople(persons)}
        </span>
      )}
      {count('decision') > 0 && (
        <span>
          <Icon name="decision" small />
          {t.decides}
        </span>
      )}
      {count('parallel') > 0 && (
        <span>
          <Icon name="split" small />
          {t.sideBySide}
        </span>
      )}
      {count('for_each') > 0 && (
        <span>
          <Icon name="loop" small />
          {t.repeats}
        </span>
      )}
      {count('wait_event') > 0 && (
        <span>
          <Icon name="event" small />
          {t.waitsForAnAnswer}
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
        <span className="dim s">{t.noDraftWaitsForYou}</span>
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
        <b>{t.goOnWithADraft}</b>
        <span className="dim s cut">
          {t.saved(newest.name ?? newest.definitionId, formatAgo(newest.updatedAt, now))}
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
        <b>{t.dropAFileOrPaste}</b>
        <span className="dim s">{t.aFlowThatSomebodySaved}</span>
      </span>
      <kbd>{sayKey('Ctrl V')}</kbd>
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
