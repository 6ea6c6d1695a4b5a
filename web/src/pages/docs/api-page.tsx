/* pages/docs/api-page.tsx — the API of this engine: every operation, what it takes and gives, as a line for curl. It is read from the
 * engine itself, so it is that of the version that runs. */
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';

import { curlOf } from '../../api/asked';
import { contractQuery } from '../../api/contract';
import { isOpen } from '../../api/me';
import { docsAddress } from '../../ui/addresses';
import { CopyButton } from '../../ui/copy-button';
import { Crumbs } from '../../ui/crumbs';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { useMe } from '../../ui/may';
import { Skeleton } from '../../ui/skeleton';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/docs';
import styles from './docs.module.css';
import { byTag, type Content, type Operation, operationFits, operationsOf } from './openapi';

const shown = (value: unknown): string => JSON.stringify(value, null, 2);

/** Text between backticks is code. */
function Words({ text }: { readonly text: string }) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

function Example({ content, what }: { readonly content: Content; readonly what: string }) {
  if (content.example === undefined) return <p className="dim s mono">{content.type}</p>;
  return (
    <>
      <p className="dim s">
        {what}, <span className="mono">{content.type}</span>
      </p>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keys. */}
      <pre className={styles['example']} tabIndex={0} role="group" aria-label={what}>
        {typeof content.example === 'string' ? content.example : shown(content.example)}
      </pre>
    </>
  );
}

function Details({ operation }: { readonly operation: Operation }) {
  const isLocked = !isOpen(useMe());
  const { method, path, says, fields, body, replies } = operation;
  const example = body?.example;
  const curl = curlOf(location.origin + path, {
    method,
    isLocked,
    ...(body === null || example === undefined
      ? {}
      : { body: { type: body.type, text: typeof example === 'string' ? example : JSON.stringify(example) } }),
  });
  return (
    <div className={styles['details']}>
      {says !== '' && (
        <p>
          <Words text={says} />
        </p>
      )}
      <div className="row">
        <code className={styles['curl']}>{curl}</code>
        <CopyButton text={curl} what={t.theLineForCurl}>
          {t.asCurl}
        </CopyButton>
      </div>
      {fields.length > 0 && (
        <>
          <h3>{t.itTakes}</h3>
          <dl className={styles['fields']}>
            {fields.map((field) => (
              <div key={`${field.in} ${field.name}`}>
                <dt>
                  <code>{field.name}</code> <span className="dim s">{field.in}</span>
                  {field.isNeeded && <span className="tag">{t.needed}</span>}
                </dt>
                <dd className="mid">
                  <Words text={field.says} />
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {body !== null && <Example content={body} what={t.whatIsSent} />}
      <h3>{t.itAnswers}</h3>
      <dl className={styles['fields']}>
        {replies.map((reply) => (
          <div key={reply.status}>
            <dt>
              <code>{reply.status}</code>
            </dt>
            <dd className="mid">
              <Words text={reply.says} />
            </dd>
          </div>
        ))}
      </dl>
      {replies
        .filter(({ status, content }) => status.startsWith('2') && content?.example !== undefined)
        .map(({ status, content }) =>
          content === null ? null : <Example key={status} content={content} what={t.answer(status)} />,
        )}
    </div>
  );
}

function Row({ operation, isFirstOpen }: { readonly operation: Operation; readonly isFirstOpen: boolean }) {
  const [isShown, setShown] = useState(isFirstOpen);
  return (
    <details open={isFirstOpen} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <b className={styles['method']} data-method={operation.method}>
          {operation.method}
        </b>
        <code className={styles['path']}>{operation.path}</code>
        <span className="mid cut">{operation.summary}</span>
      </summary>
      {isShown && <Details operation={operation} />}
    </details>
  );
}

export function ApiPage() {
  useTitle(t.theApi);
  useLive([]); // Nothing here changes.
  const [params, setParams] = useSearchParams();
  const words = params.get('find') ?? '';
  const asked = params.get('operation') ?? '';
  const query = useQuery(contractQuery());
  const operations = useMemo(() => (query.data === undefined ? [] : operationsOf(query.data)), [query.data]);
  const late = useDeferredValue(words);
  const found = operations.filter((each) => operationFits(each, late));
  return (
    <div className={styles['page']}>
      <Crumbs path={[{ word: t.help, href: docsAddress }]} here={t.theApi} />
      <div className={styles['head']}>
        <h1>{t.theApi}</h1>
        <label className="find">
          <Icon name="search" />
          <input
            type="search"
            value={words}
            placeholder={t.wordsOfAPath}
            aria-label={t.findOperations}
            onChange={({ target }) =>
              setParams(target.value === '' ? {} : { find: target.value }, { replace: true })
            }
          />
        </label>
        <span className="dim" role="status">
          {query.isSuccess && t.nOperations(found.length)}
        </span>
        <span className="grow" />
        <a className="link" href="/openapi.json">
          openapi.json
        </a>
      </div>
      {query.isPending && <Skeleton lines={12} />}
      {query.isError && (
        <Failed problem={query.error} onRetry={query.refetch} what={t.theDescriptionOfTheApi} />
      )}
      {query.isSuccess && found.length === 0 && <Empty title={t.noOperationHasTheseWords} />}
      {[...byTag(found)].map(([tag, list]) => (
        <section key={tag} className="card" aria-label={tag}>
          <header>
            <h2>{tag}</h2>
            <span className="count">{list.length}</span>
          </header>
          <div className={styles['operations']}>
            {list.map((operation) => (
              <Row key={operation.id} operation={operation} isFirstOpen={operation.id === asked} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}
