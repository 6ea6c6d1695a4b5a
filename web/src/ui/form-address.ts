/* ui/form-address.ts — where a form is, and the line that sends it without a browser. Pure. */
import type { Json } from '../flow/json';

const part = (text: string) => encodeURIComponent(text).replaceAll('%3A', ':');

/** The beginning of a tenant's addresses. The default tenant needs no name. */
export const tenantPrefix = (tenant: string): string =>
  tenant === '' || tenant === 'default' ? '' : `/t/${part(tenant)}`;

/** The page of a form. Without a trigger it is the first one for people. */
export function formAddress(origin: string, tenant: string, definitionId: string, trigger = ''): string {
  const path = `/forms/${part(definitionId)}${trigger === '' ? '' : `/${part(trigger)}`}`;
  return origin + tenantPrefix(tenant) + path;
}

const SHOWN_MAX = 6;

/** The names of the fields that have to be there, or the first ones. */
function fieldsOf(schema: Json | undefined): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  const { properties, required } = schema as { readonly [name: string]: Json | undefined };
  if (Array.isArray(required) && required.length > 0) return required.map(String).slice(0, SHOWN_MAX);
  return typeof properties === 'object' && properties !== null
    ? Object.keys(properties).slice(0, SHOWN_MAX)
    : [];
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A line for a terminal. It never has a credential: whoever needs one adds it. */
export function formCurl(address: string, schema: Json | undefined): string {
  const fields = fieldsOf(schema).map((name) => ` -d ${quoted(`${name}=…`)}`);
  return `curl ${quoted(address)}${fields.length === 0 ? ' -X POST' : fields.join('')}`;
}
