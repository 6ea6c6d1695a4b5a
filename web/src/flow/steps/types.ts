/* flow/steps/types.ts — the nine types of the steps format with their fields, in the words of the screen. The engine has no table of
 * them to ask for: docs/steps.md is where they come from. Starts (schedules, web requests) are those of the graph format. */
import type { NodeParam, NodeType, NodeTypes } from '../data';

const field = (name: string, label: string, kind: string, more: Partial<NodeParam> = {}): NodeParam => ({
  name,
  label,
  kind,
  required: false,
  template: false,
  ...more,
});

const OUT = [{ name: 'out', label: 'Then' }];
const DESCRIPTION = field('description', 'What it is for', 'note');
const TIMERS = field('boundaryEvents', 'If it takes long', 'timers');

const type = (
  name: string,
  label: string,
  kind: string,
  params: readonly NodeParam[],
  ports = OUT,
): NodeType => ({ type: name, label, category: 'steps', kind, ports, params, outputs: [] });

const TYPES: readonly NodeType[] = [
  type('start', 'Start', 'trigger', []),
  type('SERVICE_TASK', 'Service task', 'action', [
    field('jobType', 'Kind of job that a worker takes', 'plain', { required: true }),
    field('retryCount', 'If it fails, try again so many times', 'integer', { default: 0 }),
    field('retryBackoff', 'Wait before the first new try', 'backoff'),
    TIMERS,
    field('outputs_schema', 'What the worker gives back', 'plain_schema'),
    DESCRIPTION,
    field('delegateClass', 'Delegate class (kept, not used)', 'plain'),
  ]),
  type('USER_TASK', 'Ask a person', 'action', [
    field('assignee', 'Who has it', 'text', { template: true }),
    field('candidateGroups', 'Groups who may take it', 'texts', { template: true }),
    field('candidateUsers', 'People who may take it', 'texts', { template: true }),
    field('formSchema', 'What they fill in', 'schema'),
    field('dueDate', 'Due after', 'iso_duration'),
    TIMERS,
    field('priority', 'Priority, 0 to 100', 'integer', { default: 50 }),
    field('followUpDate', 'Look at it again after', 'iso_duration'),
    field('jobType', 'Kind of task', 'plain'),
    DESCRIPTION,
  ]),
  type('WAIT', 'Wait for a signal', 'action', [TIMERS, DESCRIPTION]),
  type('DECISION', 'Decision', 'gateway', [DESCRIPTION]),
  type('DECISION_TABLE', 'Decision table', 'action', [
    field('hitPolicy', 'When several rules fit', 'choice', {
      default: 'U',
      words: ['U', 'F', 'A', 'R', 'C', 'C+', 'C#', 'C>', 'C<'],
    }),
    field('decisionTable', 'Rules', 'rules', { required: true }),
    DESCRIPTION,
  ]),
  type('TRANSFORMATION', 'Set values', 'action', [
    field('transformations', 'Values', 'values', { required: true }),
    DESCRIPTION,
  ]),
  type('PARALLEL_GATEWAY', 'Split', 'gateway', [
    field('joinStep', 'All ways meet at', 'join_step'),
    DESCRIPTION,
  ]),
  type('JOIN_GATEWAY', 'Wait for all', 'action', [DESCRIPTION]),
  type(
    'END',
    'End',
    'end',
    [
      field('ends', 'What ends here', 'choice', { default: 'instance', words: ['instance', 'branch'] }),
      field('chain', 'Start the next flow, if there is one', 'boolean', { default: true }),
      DESCRIPTION,
    ],
    [],
  ),
];

/* Runs of this format are not looked up by a key of what arrives. */
const NOT_HERE = ['onMatch', 'correlationExpression', 'inputSchema', 'entry', 'label'];

const known = new WeakMap<NodeTypes, NodeTypes>();

export function stepTypes(graphTypes: NodeTypes): NodeTypes {
  const kept = known.get(graphTypes);
  if (kept !== undefined) return kept;
  const starts = [...graphTypes.values()]
    .filter(({ kind, type: name }) => kind === 'trigger' && name !== 'trigger_manual')
    .map((each) => ({ ...each, params: each.params.filter((param) => !NOT_HERE.includes(param.name)) }));
  const types = new Map([...starts, ...TYPES].map((each) => [each.type, each]));
  known.set(graphTypes, types);
  return types;
}
