/* pages/builder/said-types.ts — the engine's table of steps in the language of the page. A word that the language lacks stays English. */
import type { NodeParam, NodeType } from '../../flow/data';
import type { NodeTable } from '../../flow/table';
import { t } from '../../texts/steps';

export type Words = Readonly<Record<string, string>>;

/** The table with its labels and helps in other words. */
export function sayTable(table: NodeTable, words: Words = t): NodeTable {
  const say = (text: string): string => (Object.hasOwn(words, text) ? (words[text] ?? text) : text);
  const sayParam = (param: NodeParam): NodeParam => ({
    ...param,
    label: say(param.label),
    ...(param.help === undefined ? {} : { help: say(param.help) }),
  });
  const sayType = (type: NodeType): NodeType => ({
    ...type,
    label: say(type.label),
    ports: type.ports.map((port) => ({ ...port, label: say(port.label) })),
    params: type.params.map(sayParam),
    outputs: type.outputs.map((output) => ({ ...output, label: say(output.label) })),
  });
  return {
    types: new Map([...table.types].map(([name, type]) => [name, sayType(type)])),
    stepTypes: table.stepTypes.map(sayType),
    settings: table.settings.map(sayParam),
    retry: table.retry.map(sayParam),
    nodeFields: table.nodeFields.map(sayParam),
  };
}
