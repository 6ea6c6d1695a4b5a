/* tests/invoice.ts — a flow whose small invoices fail at once (the engine does not call its own network), whose large ones wait
 * for a person. */
import type { Engine } from './engine';

export const INVOICE = {
  dialect: 'graph/1',
  definitionId: 'invoice',
  name: 'Invoice approval',
  nodes: [
    { id: 'begin', type: 'trigger_manual', label: 'Invoice arrives' },
    { id: 'size', type: 'decision', label: 'Over 1,000?' },
    {
      id: 'ask',
      type: 'human_task',
      label: 'Ask the manager',
      config: { title: 'Approve the invoice', groups: ['accounting'], decisions: ['approve', 'decline'] },
    },
    {
      id: 'post',
      type: 'action_http',
      label: 'Post to ledger',
      config: {
        url: 'http://127.0.0.1:1/postings',
        method: 'POST',
        body: { number: '{{ trigger.payload.number }}' },
      },
    },
    { id: 'paid', type: 'end', label: 'Paid' },
    { id: 'declined', type: 'end', label: 'Declined' },
  ],
  edges: [
    { id: 'e1', from: 'begin', to: 'size' },
    {
      id: 'e2',
      from: 'size',
      to: 'ask',
      condition: { left: '{{ trigger.payload.amount }}', op: 'gt', right: 1000 },
    },
    { id: 'e3', from: 'size', to: 'post', default: true },
    { id: 'e4', from: 'ask', to: 'post', fromPort: 'approve' },
    { id: 'e5', from: 'ask', to: 'declined', fromPort: 'decline' },
    { id: 'e6', from: 'post', to: 'paid' },
  ],
};

/** Starts one and returns its id. */
export async function startInvoice(engine: Engine, number: string, amount: number): Promise<string> {
  const answer = await engine.send('POST', '/v1/instances', {
    definitionId: 'invoice',
    businessKey: number,
    variables: { number, amount },
  });
  return String(Reflect.get(Object(answer), 'id'));
}
