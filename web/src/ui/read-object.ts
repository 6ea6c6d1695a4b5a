/* ui/read-object.ts — data that a person types as JSON. */

/** The data as an object, nothing being an empty one; null: the text is no JSON object. */
export function readObject(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : null;
  } catch {
    return null;
  }
}
