/* flow/reminders.test.ts — reminders in words and back. */
import { describe, expect, it } from 'vitest';

import {
  NEW_REMINDER,
  printEscalations,
  printReminders,
  readEscalations,
  readReminders,
  sayReminder,
} from './reminders';

describe('reminders', () => {
  it.each([
    [undefined],
    [['P2D']],
    [['PT5M', { after: 'P1D', every: 'PT4H' }]],
    [[{ after: 'P1W', every: 'P1D', email: false }]],
    [[{ after: 'P2D', email: false }]],
  ])('come back as they were: %j', (value) => {
    const read = readReminders(value);
    expect(read).not.toBeNull();
    expect(printReminders(read ?? [])).toEqual(value);
  });

  it.each([
    [['{{ later }}']],
    [['P1DT2H']],
    [[7]],
    [[{ after: 'P1D', by: 'sms' }]],
    [[{ after: 'P1D', every: 'soon' }]],
  ])('are left to the text view: %j', (value) => {
    expect(readReminders(value)).toBeNull();
  });

  it('may be one text', () => {
    expect(readReminders('2d')).toEqual([NEW_REMINDER]);
  });

  it('are sentences', () => {
    expect(sayReminder(NEW_REMINDER)).toBe('After 2 days, e-mail them.');
    expect(sayReminder({ ...NEW_REMINDER, every: { count: 1, unit: 'days' } })).toBe(
      'After 2 days, e-mail them, and again every day until somebody answers.',
    );
    expect(
      sayReminder({
        after: { count: 1, unit: 'hours' },
        every: { count: 30, unit: 'minutes' },
        isQuiet: true,
      }),
    ).toBe('After 1 hour, remind them without an e-mail, and again every 30 minutes until somebody answers.');
  });
});

describe('escalations', () => {
  it.each([
    [undefined],
    [{ after: 'P3D', assignee: 'bob' }],
    [
      {
        after: 'P3D',
        assignee: null,
        assignees: ['bob', 'eve'],
        groups: ['heads'],
        email: false,
        priority: 90,
        due: 'P1D',
      },
    ],
    [{ after: 'P3D', groups: ['heads'] }],
    [{ after: 'P3D', priority: 90 }],
    [
      [
        { after: 'P3D', assignee: 'bob' },
        { after: 'P1W', assignee: null, groups: ['heads'] },
      ],
    ],
  ])('come back as they were: %j', (value) => {
    const read = readEscalations(value);
    expect(read).not.toBeNull();
    expect(printEscalations(read ?? [])).toEqual(value);
  });

  it.each([['P3D'], [{ groups: ['heads'] }], [{ after: 'P3D', assignee: 'bob', assignees: ['eve'] }]])(
    'are left to the text view: %j',
    (value) => {
      expect(readEscalations(value)).toBeNull();
    },
  );
});
