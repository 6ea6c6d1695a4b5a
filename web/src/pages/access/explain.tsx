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
import styles from './access.module.css';
import { TextField } from './fields';
import { Name } from './record-list';

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
      <TextField
        label="Who"
        value={name}
        onChange={setName}
        isRequired
        help="user:ada, group:sre or key:ID"
      />
      <div className="field">
        <label htmlFor={id}>Asks</label>
        <select id={id} className="in" value={method} onChange={(event) => setMethod(event.target.value)}>
          {METHODS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
      <TextField
        label="For"
        value={path}
        onChange={setPath}
        isMono
        choices={paths}
        help="A path such as /v1/instances/ID/cancel; empty: everything"
      />
      <Button look="primary" type="submit">
        Explain
      </Button>
    </form>
  );
}

type Line = Decision & { readonly word: string };

const COLUMNS: readonly Column<Line>[] = [
  { key: 'word', head: 'Permission', cell: (row) => <Name text={row.word} isMono /> },
  { key: 'may', head: 'May', cell: (row) => <Verdict isAllowed={row.allowed} /> },
  {
    key: 'why',
    head: 'Why',
    isWide: true,
    cell: (row) => (
      <span title={row.reason}>
        <bdi>{row.reason}</bdi>
      </span>
    ),
  },
];

function Verdict({ isAllowed }: { readonly isAllowed: boolean }) {
  return <StatusMark status={isAllowed ? 'completed' : 'failed'} word={isAllowed ? 'Yes' : 'No'} isSmall />;
}

function Everything({ principal }: { readonly principal: string }) {
  const answers = useQueries({
    queries: PERMISSIONS.map((permission) => explainQuery(principal, { permission, object: '' })),
  });
  const failed = answers.find(({ isError }) => isError);
  if (failed !== undefined) return <Failed what="The answer" problem={failed.error} />;
  if (answers.some(({ isPending }) => isPending)) return <Skeleton lines={8} />;
  const lines: readonly Line[] = answers.flatMap(({ data }, at) =>
    data === undefined ? [] : [{ ...data.decision, word: PERMISSIONS[at] ?? '' }],
  );
  return (
    <section className="card">
      <header>
        <h2>
          What <bdi>{principal}</bdi> may do here
        </h2>
      </header>
      <div className={styles['scroll']}>
        <Table
          label="Permissions"
          rows={lines}
          columns={COLUMNS}
          keyOf={(row) => row.word}
          nameOf={(row) => `${row.word}: ${row.allowed ? 'yes' : 'no'}`}
        />
      </div>
    </section>
  );
}

function One({ principal, question }: { readonly principal: string; readonly question: Question }) {
  const answer = useQuery(explainQuery(principal, question));
  if (answer.isPending) return <Skeleton lines={4} />;
  if (answer.isError) return <Failed what="The answer" problem={answer.error} onRetry={answer.refetch} />;
  return <Chain route={answer.data.route} decision={answer.data.decision} />;
}

/** From who it is to yes or no, one link below the other. */
function Chain({ route, decision }: { readonly route: string | undefined; readonly decision: Decision }) {
  const { groups = [], grants = [], permission, roles = [] } = decision;
  return (
    <section className={`card ${styles['chain'] ?? ''}`} aria-label="The reasons">
      <h2 className="row">
        <Verdict isAllowed={decision.allowed} /> <bdi>{decision.reason}</bdi>
      </h2>
      <ol>
        <li>
          Asked by <b dir="auto">{decision.principal}</b>
          {groups.length > 0 && <>, in {listWords(groups)}</>}
        </li>
        {route !== undefined && (
          <li>
            The route <code>{route}</code>
          </li>
        )}
        {permission !== undefined && (
          <li>
            It needs <code>{permission}</code>, which {listWords(roles, 'or')}{' '}
            {roles.length === 1 ? 'has' : 'have'}
          </li>
        )}
        {grants.map((grant, at) => (
          <li key={at} data-gives={grant.gives}>
            <bdi>{grant.source}</bdi> gives the role <b>{grant.role}</b>
            {grant.everywhere && ' in all tenants'}
            {grant.scopes !== undefined && (
              <>
                , only for <code>{grant.scopes.join(', ')}</code>
              </>
            )}
            : {grant.why}
          </li>
        ))}
        {grants.length === 0 && <li>No grant of any role</li>}
      </ol>
    </section>
  );
}
