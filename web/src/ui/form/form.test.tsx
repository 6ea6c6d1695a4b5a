// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';

import { FormFields } from './form-fields';
import type { Json } from './json';
import { useForm } from './use-form';

afterEach(cleanup);

let sent: Json | undefined;

function Harness({ schema, refusal = '' }: { readonly schema: Json; readonly refusal?: string }) {
  const form = useForm(schema);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        sent = form.send()?.value;
        if (refusal !== '') form.refuse(refusal);
      }}
    >
      <FormFields form={form} />
      <button type="submit">Send</button>
    </form>
  );
}

const SCHEMA: Json = {
  type: 'object',
  required: ['approved', 'days'],
  properties: {
    approved: { type: 'boolean' },
    days: { type: 'integer', maximum: 5, title: 'Days to book', description: 'Of this year' },
    note: { type: 'string', maxLength: 400 },
    copies: { type: 'array', items: { type: 'string', format: 'email' } },
    calendar: { type: 'boolean', default: true, title: 'Put it in the calendar' },
  },
};

test('a form is filled in and sent by labels alone', async () => {
  const user = userEvent.setup();
  render(<Harness schema={SCHEMA} />);
  await user.click(screen.getByRole('radio', { name: 'Yes' }));
  await user.type(screen.getByRole('textbox', { name: 'Days to book' }), '3');
  const note = screen.getByRole('textbox', { name: 'Note can stay empty' });
  expect(note.closest('.field')?.textContent).toContain('Note can stay empty');
  await user.type(note, 'Thanks');
  await user.click(screen.getByRole('button', { name: 'Add' }));
  await user.type(screen.getByRole('textbox', { name: 'Copies 1' }), 'ada@example.org');
  await user.click(screen.getByRole('checkbox', { name: 'Put it in the calendar' }));
  await user.click(screen.getByRole('button', { name: 'Send' }));
  expect(sent).toEqual({
    approved: true,
    days: 3,
    note: 'Thanks',
    copies: ['ada@example.org'],
    calendar: false,
  });
});

test('a field is blamed when it is left or sent, not while it is being typed; the first problem gets the focus', async () => {
  const user = userEvent.setup();
  render(<Harness schema={SCHEMA} />);
  const days = screen.getByRole('textbox', { name: 'Days to book' });
  await user.type(days, '9');
  expect(screen.queryByText('At most 5')).toBeNull();
  await user.tab();
  expect(screen.getByText('At most 5')).toBeTruthy();
  expect(days.getAttribute('aria-invalid')).toBe('true');
  expect(screen.queryByText('Choose one')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Send' }));
  expect(sent).toBeUndefined();
  expect(screen.getByText('Choose one')).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByRole('radio', { name: 'Yes' }));
});

test("the engine's refusal stands at its field until that changes", async () => {
  const user = userEvent.setup();
  render(
    <Harness
      schema={{ properties: { code: { type: 'string' } } }}
      refusal={'/code must match the pattern ^A'}
    />,
  );
  await user.type(screen.getByRole('textbox'), 'B');
  await user.click(screen.getByRole('button', { name: 'Send' }));
  expect(screen.getByText('Must match the pattern ^A')).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByRole('textbox'));
  await user.type(screen.getByRole('textbox'), 'A');
  expect(screen.queryByText('Must match the pattern ^A')).toBeNull();
});

test('titles and values are text, never markup', () => {
  const hostile = '<img src=x onerror=alert(1)>';
  render(
    <Harness
      schema={{
        properties: { a: { type: 'string', title: hostile, description: hostile, default: hostile } },
      }}
    />,
  );
  expect(document.querySelector('img')).toBeNull();
  expect(screen.getByDisplayValue(hostile)).toBeTruthy();
});
