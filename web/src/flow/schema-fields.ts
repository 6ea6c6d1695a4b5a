/* flow/schema-fields.ts — the fields of a form, which documents keep as a JSON Schema. */
import { isObject, type Json, textOf, textsOf } from './json';

const FIELDS_MAX = 50;

/** `days_asked_for` and `daysAskedFor` read "Days asked for". */
export function sayName(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_\-.]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

export interface SchemaField {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly choices: readonly string[];
}

/** The fields of a form, in the order of the form. */
export function fieldsOf(schema: Json | undefined): readonly SchemaField[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  return Object.entries(schema['properties'])
    .slice(0, FIELDS_MAX)
    .flatMap(([name, field]): SchemaField[] => {
      if (!isObject(field)) return [];
      const format = textOf(field['format']);
      const type = format.startsWith('date') ? 'time' : textOf(field['type']) || 'any';
      return [
        { name, label: textOf(field['title']) || sayName(name), type, choices: textsOf(field['enum']) },
      ];
    });
}
