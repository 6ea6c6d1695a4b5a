/* ui/addresses.ts — the addresses of pages, below /ui. No other file has a literal path. */

/* Colons are part of many ids and need no escape. */
const part = (text: string) => encodeURIComponent(text).replaceAll('%3A', ':');

export const homeAddress = '/';
export const flowsAddress = '/flows';
export const flowAddress = (definitionId: string) => `/flows/${part(definitionId)}`;
export const runsAddress = (query = '') => (query === '' ? '/runs' : `/runs?${query}`);
export const runAddress = (id: string) => `/runs/${part(id)}`;
export const inboxAddress = (taskId?: string) => (taskId === undefined ? '/inbox' : `/inbox/${part(taskId)}`);
export const builderAddress = (definitionId?: string) =>
  definitionId === undefined ? '/builder' : `/builder/${part(definitionId)}`;
export const entitiesAddress = '/entities';
export const modelAddress = (name: string, version: number) => `/entities/${part(name)}/${version}`;
export const entityAddress = (id: string) => `/entities/id/${part(id)}`;
export const compareAddress = (definitionId: string, from: number, to: number) =>
  `/flows/${part(definitionId)}/compare?from=${from}&to=${to}`;
export const triggersAddress = '/triggers';
export const triggerAddress = (definitionId: string, trigger: string) =>
  `/triggers?${new URLSearchParams({ flow: definitionId, trigger }).toString()}`;
export const tablesAddress = '/tables';
export const tableAddress = (definitionId: string, stepId: string) =>
  `/tables/${part(definitionId)}/${part(stepId)}`;
export const workersAddress = '/workers';
export const connectionsAddress = (name = '') =>
  name === '' ? '/connections' : `/connections?${new URLSearchParams({ name }).toString()}`;
export const loginAddress = (back = '') =>
  back === '' || back === '/' ? '/login' : `/login?${new URLSearchParams({ back }).toString()}`;
export const accountAddress = '/account';
/** A part of the page about access: users, keys, grants. */
export const accessAddress = (of = '', name = '') => {
  const query = name === '' ? '' : `?${new URLSearchParams({ name }).toString()}`;
  return (of === '' ? '/access' : `/access/${part(of)}`) + query;
};
export const docsAddress = '/docs';
/** The API of the engine, for programs. */
export const apiDocsAddress = '/docs/api';
export const auditAddress = (query = '') => (query === '' ? '/audit' : `/audit?${query}`);
