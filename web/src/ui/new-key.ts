/* ui/new-key.ts — an Idempotency-Key. It is made when a dialog opens, so that sending twice does once. */

/** 128 random bits. Not crypto.randomUUID(): that is missing where the engine is reached over plain HTTP by name. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
