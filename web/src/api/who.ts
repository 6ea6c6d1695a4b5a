/* api/who.ts — who acts, said with every call by X-Actor and X-Groups where nobody has to sign in. The engine knows all others by itself.
 * The application tells us once where the person is kept. */

export interface Caller {
  readonly name: string;
  readonly groups: readonly string[];
}

let readCaller: () => Caller | null = () => null;

/** From now on every call names the person whom `read` gives. */
export function nameCaller(read: () => Caller | null): void {
  readCaller = read;
}

/** A text as a header carries it: its bytes in UTF-8, each as one letter. Line breaks cannot be in a header. */
export function headerText(text: string): string {
  const bytes = new TextEncoder().encode(text.replaceAll(/[\0\r\n]/g, ' ').trim());
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/** The header that names somebody; none where the engine knows who acts. */
export function actorHeader(name: string): { 'X-Actor'?: string } {
  const text = headerText(name);
  return readCaller() === null || text === '' ? {} : { 'X-Actor': text };
}

/** Adds who acts, unless the call has named somebody itself. */
export function addWho(headers: Headers): void {
  const caller = readCaller();
  if (caller === null) return;
  const name = headerText(caller.name);
  if (!headers.has('X-Actor') && name !== '') headers.set('X-Actor', name);
  const groups = headerText(caller.groups.join(', '));
  if (!headers.has('X-Groups') && groups !== '') headers.set('X-Groups', groups);
}
