/* pages/builder/sample-input.ts — a plausible first input for a test: the one that the document has, else made from the flow's form. */
import { inputSchemaOf } from '../../flow/data';
import { type Flow, type FlowNode, nodesOf, startsOf } from '../../flow/flow';
import { isSteps } from '../../flow/format';
import { atPath, isList, isObject, type Json, type JsonObject } from '../../flow/json';
import { namedVariables, stepGives } from '../../flow/steps/data';
import { t } from '../../texts/builder';

function sampleOf(name: string, field: Json | undefined): Json {
  if (!isObject(field)) return '';
  if (field['default'] !== undefined) return field['default'];
  if (isList(field['examples']) && field['examples'][0] !== undefined) return field['examples'][0];
  if (isList(field['enum'])) return field['enum'][0] ?? '';
  const { type, format, minimum, maximum } = field;
  if (type === 'number' || type === 'integer') {
    if (typeof minimum === 'number') return minimum;
    return typeof maximum === 'number' ? Math.min(maximum, 1200) : 1200;
  }
  if (type === 'boolean') return true;
  if (type === 'array') return ['first', 'second'];
  if (type === 'object') return sampleInput(field);
  if (format === 'date') return '2026-05-18';
  if (format === 'date-time') return '2026-05-18T09:00:00Z';
  if (format === 'email' || /mail/i.test(name)) return 'ann@example.org';
  return /who|name|employee|customer/i.test(name) ? 'Ann Miller' : t.sample;
}

export function sampleInput(schema: Json | undefined): JsonObject {
  if (!isObject(schema) || !isObject(schema['properties'])) return {};
  return Object.fromEntries(
    Object.entries(schema['properties']).map(([name, field]) => [name, sampleOf(name, field)]),
  );
}

/* Variables that conditions read and no step gives must come from outside. */
function namedSample(flow: Flow): JsonObject {
  const given = new Set(nodesOf(flow).flatMap((node) => stepGives(flow, node).map((item) => item.path[0])));
  return Object.fromEntries(
    namedVariables(flow)
      .filter((item) => !given.has(item.path[0]))
      .map((item) => [
        String(item.path[0]),
        item.choices[0] ?? sampleOf(String(item.path[0]), { type: item.type }),
      ]),
  );
}

/** The input of a flow's first test. */
export function firstInput(flow: Flow, start: FlowNode | undefined = startsOf(flow)[0]): Json {
  const sample = atPath(flow, ['metadata', 'sample']);
  if (sample !== undefined) return sample;
  // A model of entities has its sample beside its states.
  if (typeof flow['entityName'] === 'string') return flow['sample'] ?? {};
  const schema = inputSchemaOf(flow, start);
  return schema === undefined && isSteps(flow) ? namedSample(flow) : sampleInput(schema);
}
