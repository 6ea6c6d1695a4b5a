/* pages/login/back.ts — where somebody goes after they have signed in: a page of ours and nowhere else. Pure. */

/** The page that the query asks for, below the application; a place of others is home. */
export function backOf(search: string): string {
  const back = new URLSearchParams(search).get('back') ?? '/';
  return /^\/(?![/\\])[^\\]*$/.test(back) && !back.startsWith('/login') ? back : '/';
}

/** The page of a form that somebody comes from. It is the engine's, and not a page of the application; undefined: none. */
export function formOf(search: string): string | undefined {
  const back = new URLSearchParams(search).get('back') ?? '';
  return /^(\/t\/[^/\\]+)?\/forms\/[^\\]+$/.test(back) ? back : undefined;
}

/** The code of the link for the first admin. It stands behind the #, which no request and no log has; empty: none. */
export function codeOf(hash: string): string {
  return new URLSearchParams(hash.replace(/^#/, '')).get('setup') ?? '';
}
