/* pages/builder/sample-input.ts — a plausible first input for a test, made from the flow's form. */
import { isList, isObject, type Json, type JsonObject } from '../../flow/json';

function sampleOf(name: string, field: Json | undefined): Json {
  if (!isObject(field)) return '';
  if (field['default'] !== undefined) return field['default'];
  if (isList(field['examples']) && field['examples'][0] !== undefined) return field['examples'][0];
  if (isList(field['enum'])) return field['enum'][0] ?? '';
  const { type, format, minimum } = field;
  if (type === 'number' || type === 'integer') return typeof minimum === 'number' ? minimum : 1200;
  if (type === 'boolean') return true;
  if (type === 'array') return ['first', 'second'];
  if (type === 'object') return sampleInput(field);
  if (format === 'date') return '2026-05-18';
  if (format === 'date-time') return '2026-05-18T09:00:00Z';
  if (format === 'email' || /mail/i.test(name)) return 'ann@example.org';
  return /who|name|employee|customer/i.test(name) ? 'Ann Miller' : 'Sample';
}

export function sampleInput(schema: Json | undefined): JsonObject {
  if (!isObject(schema) || !isObject(schema['properties'])) return {};
  return Object.fromEntries(
    Object.entries(schema['properties']).map(([name, field]) => [name, sampleOf(name, field)]),
  );
}
