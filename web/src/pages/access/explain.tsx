/* pages/access/explain.tsx — what somebody may do, and why: every permission at a glance, or one request link by link. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useSearchParams } from 'wouter';

import { type Decision, explainQuery, type Question, routesQuery } from '../../api/access';
import { Button } from '../../ui/button';
import { Failed } from '../../ui/failed';
import { PERMISSIONS } from '../../ui/permissions';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { type Column, Table } from '../../ui/table';
import { listWords } from '../../ui/words';
import { t } from '../../texts/access';
import styles from './access.module.css';
import { TextField } from './fields';
import { Name } from './record-list';
import { sayReason } from './words';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The question is in the address, so that an answer can be sent to others. */
export function Explain() {
  const [params, setParams] = useSearchParams();
  const asked = {
    name: params.get('name') ?? '',
    method: params.get('method') ?? 'GET',
    path: params.get('path') ?? '',
  };
  return (
    <>
      <ExplainForm
        key={JSON.stringify(asked)}
        asked={asked}
        onAsk={(next) => setParams(next.path === '' ? { name: next.name } : { ...next })}
      />
      {asked.name !== '' && asked.path === '' && <Everything principal={asked.name} />}
      {asked.name !== '' && asked.path !== '' && (
        <One principal={asked.name} question={{ method: asked.method, path: asked.path }} />
      )}
    </>
  );
}

interface Asked {
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

function ExplainForm({ asked, onAsk }: { readonly asked: Asked; readonly onAsk: (asked: Asked) => void }) {
  const id = useId();
  const [name, setName] = useState(asked.name);
  const [method, setMethod] = useState(asked.method);
  const [path, setPath] = useState(asked.path);
  const routes = useQuery(routesQuery());
  const paths = [
    ...new Set(routes.data?.filter((each) => each.method === method).map((each) => each.path) ?? []),
  ];
  return (
    <form
      className={`card ${styles['ask'] ?? ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        onAsk({ name: name.trim(), method, path: path.trim() });
      }}
    >
      <TextField label={t.who} value={name} onChange={setName} isRequired help={t.userAdaGroupSre} />
      <div className="field">
        <label htmlFor={id}>{t.asks}</label>
        <select id={id} className="in" value={method} onChange={(event) => setMethod(event.target.value)}>
          {METHODS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
      <TextField
        label={t.for}
        value={path}
        onChange={setPath}
        isMono
        choices={paths}
        help={t.aPathSuchAsV1}
      />
      <Button look="primary" type="submit">
        {t.explain}
      </Button>
    </form>
  );
}

type Line = Decision & { readonly word: string };

const COLUMNS: readonly Column<Line>[] = [
  { key: 'word', head: t.permission, cell: (row) => <Name text={row.word} isMono /> },
  { key: 'may', head: t.may, cell: (row) => <Verdict isAllowed={row.allowed} /> },
  {
    key: 'why',
    head: t.why,
    isWide: true,
    cell: (row) => (
      <span title={sayReason(row.reason)}>
        <bdi>{sayReason(row.reason)}</bdi>
      </span>
    ),
  },
];

function Verdict({ isAllowed }: { readonly isAllowed: boolean }) {
  return <StatusMark status={isAllowed ? 'completed' : 'failed'} word={isAllowed ? t.yes : t.no} isSmall />;
}

function Everything({ principal }: { readonly principal: string }) {
  const answers = useQueries({
    queries: PERMISSIONS.map((permission) => explainQuery(principal, { permission, object: '' })),
  });
  const failed = answers.find(({ isError }) => isError);
  if (failed !== undefined) return <Failed what={t.theAnswer} problem={failed.error} />;
  if (answers.some(({ isPending }) => isPending)) return <Skeleton lines={8} />;
  const lines: readonly Line[] = answers.flatMap(({ data }, at) =>
    data === undefined ? [] : [{ ...data.decision, word: PERMISSIONS[at] ?? '' }],
  );
  return (
    <section className="card">
      <header>
        <h2>{t.whatMayDoHere(<bdi>{principal}</bdi>)}</h2>
      </header>
      <div className={styles['scroll']}>
        <Table
          label={t.permissions}
          rows={lines}
          columns={COLUMNS}
          keyOf={(row) => row.word}
          nameOf={(row) => `${row.word}: ${row.allowed ? t.yes2 : t.no2}`}
        />
      </div>
    </section>
  );
}

function One({ principal, question }: { readonly principal: string; readonly question: Question }) {
  const answer = useQuery(explainQuery(principal, question));
  if (answer.isPending) return <Skeleton lines={4} />;
  if (answer.isError) return <Failed what={t.theAnswer} problem={answer.error} onRetry={answer.refetch} />;
  return <Chain route={answer.data.route} decision={answer.data.decision} />;
}

/** From who it is to yes or no, one link below the other. */
function Chain({ route, decision }: { readonly route: string | undefined; readonly decision: Decision }) {
  const { groups = [], grants = [], permission, roles = [] } = decision;
  return (
    <section className={`card ${styles['chain'] ?? ''}`} aria-label={t.theReasons}>
      <h2 className="row">
        <Verdict isAllowed={decision.allowed} /> <bdi>{sayReason(decision.reason)}</bdi>
      </h2>
      <ol>
        <li>
          {t.askedBy(<b dir="auto">{decision.principal}</b>)}
          {groups.length > 0 && <>{t.in(listWords(groups))}</>}
        </li>
        {route !== undefined && <li>{t.theRoute(<code>{route}</code>)}</li>}
        {permission !== undefined && (
          <li>
            {t.itNeedsWhich(
              <code>{permission}</code>,
              listWords(roles, 'or'),
              roles.length === 1 ? t.has : t.have,
            )}
          </li>
        )}
        {grants.map((grant, at) => (
          <li key={at} data-gives={grant.gives}>
            {t.givesTheRole(
              <bdi>{sayReason(grant.source)}</bdi>,
              <b>{grant.role}</b>,
              grant.everywhere && t.inAllTenants,
              grant.scopes !== undefined && <>{t.onlyFor(<code>{grant.scopes.join(', ')}</code>)}</>,
              sayReason(grant.why),
            )}
          </li>
        ))}
        {grants.length === 0 && <li>{t.noGrantOfAnyRole}</li>}
      </ol>
    </section>
  );
}
