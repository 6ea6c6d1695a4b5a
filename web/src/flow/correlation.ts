/* flow/correlation.ts — what arrivals and runs have in common: one field of what arrives, which the document writes as a JSONPath. */

const NAME = /^[A-Za-z_][\w-]*$/;

/** The field that a path picks; null: it picks something else. */
export function parseCorrelation(path: string): string | null {
  const plain = /^\$\.(?:body\.|payload\.)?([A-Za-z_]\w*)$/.exec(path)?.[1];
  if (plain !== undefined) return plain;
  const quoted = /^\$\["((?:[^"\\]|\\.)*)"\]$/.exec(path)?.[1];
  if (quoted === undefined) return null;
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch {
    return null;
  }
}

export const printCorrelation = (field: string): string =>
  NAME.test(field) && !field.includes('-') ? `$.${field}` : `$[${JSON.stringify(field)}]`;
