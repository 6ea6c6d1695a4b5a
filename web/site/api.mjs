/* api.mjs — contract/openapi.json as pages: one with all paths, one for each tag, one with all schemas. */
import { anchorOf } from './markdown.mjs';
import { escape, sentence } from './page.mjs';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/* ---- the shape of a value, as one would write it down ---- */

const reference = (ref) => {
  const name = ref.split('/').at(-1);
  return `<a href="api-schemas.html#${escape(name)}">${escape(name)}</a>`;
};

const joined = (schemas, sign, depth) => schemas.map((each) => shapeOf(each, depth)).join(` ${sign} `);

function objectShape(schema, depth) {
  const inside = '  '.repeat(depth + 1);
  const needed = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties ?? {}).map(([name, value]) => {
    const note = value.description ? ` <span class="quiet">// ${escape(value.description)}</span>` : '';
    return `${inside}${escape(name)}${needed.has(name) ? '' : '?'}: ${shapeOf(value, depth + 1)}${note}`;
  });
  const more = schema.additionalProperties;
  if (more && typeof more === 'object') lines.push(`${inside}[name]: ${shapeOf(more, depth + 1)}`);
  return lines.length ? `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}` : 'object';
}

function shapeOf(schema, depth = 0) {
  if (schema === true || schema === undefined || Object.keys(schema).length === 0) return 'any';
  if (schema.$ref) return reference(schema.$ref);
  if (schema.enum) return schema.enum.map((value) => escape(JSON.stringify(value))).join(' | ');
  if (schema.const !== undefined) return escape(JSON.stringify(schema.const));
  if (schema.allOf) return joined(schema.allOf, '&amp;', depth);
  if (schema.oneOf ?? schema.anyOf) return joined(schema.oneOf ?? schema.anyOf, '|', depth);
  if (Array.isArray(schema.type))
    return joined(
      schema.type.map((type) => ({ ...schema, type })),
      '|',
      depth,
    );
  if (schema.type === 'array') return `[${shapeOf(schema.items, depth)}]`;
  if (schema.type === 'object' || schema.properties) return objectShape(schema, depth);
  return (
    escape(schema.type ?? 'any') +
    (schema.format ? ` <span class="quiet">(${escape(schema.format)})</span>` : '')
  );
}

const shaped = (schema) => `<pre tabindex="0"><code>${shapeOf(schema)}</code></pre>`;

/* ---- operations ---- */

const resolved = (contract, value) =>
  value.$ref
    ? value.$ref
        .split('/')
        .slice(1)
        .reduce((at, name) => at[name], contract)
    : value;

function parametersOf(contract, item, operation) {
  const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((each) =>
    resolved(contract, each),
  );
  if (all.length === 0) return '';
  const row = (each) =>
    `<tr><td><code>${escape(each.name)}</code></td><td>${escape(each.in)}${each.required ? ', needed' : ''}</td>` +
    `<td><code class="shape">${shapeOf(each.schema)}</code></td><td>${sentence(each.description ?? '')}</td></tr>`;
  return `<h4>Parameters</h4><div class="wide" tabindex="0"><table><thead><tr><th>name</th><th>in</th><th>is</th><th>means</th></tr></thead>
<tbody>${all.map(row).join('\n')}</tbody></table></div>`;
}

function bodyOf(contract, operation) {
  const body = operation.requestBody && resolved(contract, operation.requestBody);
  if (!body) return '';
  const parts = Object.entries(body.content).map(
    ([type, { schema, example }]) =>
      `<p><code>${escape(type)}</code>${body.required ? '' : ', may be left out'}</p>${shaped(schema)}` +
      (example === undefined
        ? ''
        : `<pre tabindex="0"><code>${escape(JSON.stringify(example, null, 2))}</code></pre>`),
  );
  return `<h4>Body</h4>${parts.join('')}`;
}

function answersOf(contract, operation) {
  const row = ([status, given]) => {
    const answer = resolved(contract, given);
    const [content] = Object.values(answer.content ?? {});
    return `<tr><td>${escape(status)}</td><td>${sentence(answer.description)}</td><td>${content ? `<code class="shape">${shapeOf(content.schema)}</code>` : ''}</td></tr>`;
  };
  return `<h4>Answers</h4><div class="wide" tabindex="0"><table><thead><tr><th>status</th><th>means</th><th>is</th></tr></thead>
<tbody>${Object.entries(operation.responses).map(row).join('\n')}</tbody></table></div>`;
}

function operationHtml(contract, { path, method, item, operation }) {
  const about = operation.description ? `<p>${sentence(operation.description)}</p>` : '';
  return `<section class="operation"><h3 id="${escape(operation.operationId)}">${escape(operation.summary)}</h3>
<p><span class="method">${method.toUpperCase()}</span> <code>${escape(path)}</code></p>
${about}${parametersOf(contract, item, operation)}${bodyOf(contract, operation)}${answersOf(contract, operation)}</section>`;
}

/* ---- pages ---- */

function operationsByTag(contract) {
  const tags = new Map();
  for (const [path, item] of Object.entries(contract.paths))
    for (const method of METHODS.filter((each) => item[each])) {
      const operation = item[method];
      const [tag = 'other'] = operation.tags ?? [];
      tags.set(tag, [...(tags.get(tag) ?? []), { path, method, item, operation }]);
    }
  return tags;
}

const pageOf = (tag) => `api-${anchorOf(tag, new Map())}`;
const title = (tag) => `API: ${tag}`;

function tagPage(contract, tag, operations) {
  const about = (contract.tags ?? []).find(({ name }) => name === tag)?.description ?? '';
  return {
    name: pageOf(tag),
    title: title(tag),
    html: `<h1>${escape(title(tag))}</h1><p>${sentence(about)}</p>${operations.map((each) => operationHtml(contract, each)).join('\n')}`,
    headings: operations.map(({ operation }) => ({
      level: 2,
      title: operation.summary,
      anchor: operation.operationId,
    })),
    sections: operations.map(({ path, method, operation }) => ({
      title: operation.summary,
      anchor: operation.operationId,
      text: `${method} ${path} ${operation.operationId} ${operation.description ?? ''}`,
    })),
  };
}

function listPage(contract, tags) {
  const row =
    (tag) =>
    ({ path, method, operation }) =>
      `<tr><td><span class="method">${method.toUpperCase()}</span></td><td><a href="${pageOf(tag)}.html#${escape(operation.operationId)}"><code>${escape(path)}</code></a></td>` +
      `<td>${escape(operation.summary)}</td></tr>`;
  const part = ([tag, operations]) =>
    `<h2 id="${pageOf(tag)}">${escape(tag)}</h2><div class="wide" tabindex="0"><table><tbody>${operations.map(row(tag)).join('\n')}</tbody></table></div>`;
  return {
    name: 'api',
    title: 'The API',
    html: `<h1>The API</h1><p>${sentence(contract.info.description ?? '')}</p>
<p><a href="../openapi.json">openapi.json</a> has all of it for programs (OpenAPI ${escape(contract.openapi)}).</p>
${[...tags].map(part).join('\n')}`,
    headings: [...tags.keys()].map((tag) => ({ level: 2, title: tag, anchor: pageOf(tag) })),
    sections: [{ title: 'The API', anchor: '', text: 'REST HTTP paths routes OpenAPI reference endpoints' }],
  };
}

function schemasPage(contract) {
  const schemas = Object.entries(contract.components.schemas);
  return {
    name: 'api-schemas',
    title: 'API: schemas',
    html: `<h1>API: schemas</h1>${schemas
      .map(
        ([name, schema]) =>
          `<h2 id="${escape(name)}">${escape(name)}</h2><p>${sentence(schema.description ?? '')}</p>${shaped(schema)}`,
      )
      .join('\n')}`,
    headings: schemas.map(([name]) => ({ level: 2, title: name, anchor: name })),
    sections: schemas.map(([name, schema]) => ({
      title: name,
      anchor: name,
      text: schema.description ?? '',
    })),
  };
}

export function apiPages(contract) {
  const tags = operationsByTag(contract);
  return [
    listPage(contract, tags),
    ...[...tags].map(([tag, list]) => tagPage(contract, tag, list)),
    schemasPage(contract),
  ];
}
