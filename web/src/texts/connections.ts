/* texts/connections.ts — the texts of the page of connections. */
import { connections } from './en/connections';
import { textsOf } from './language';

export const t = textsOf('connections', connections);
