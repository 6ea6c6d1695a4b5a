import { describe, expect, test } from 'vitest';

import type { Connection } from '../../api/connections';
import { inOrder, isOurs, kindWords, mailValue, sourceWords, stateOf, testKinds } from './words';

const made = (more: Partial<Connection>): Connection => ({
  name: 'a',
  kinds: ['secret'],
  isSet: true,
  source: 'store',
  usedBy: [],
  uses: 1,
  ...more,
});

describe('connections in words', () => {
  test('what is missing comes first, what nobody uses last', () => {
    const items = [
      made({ name: 'unused', uses: 0 }),
      made({ name: 'good' }),
      made({ name: 'away', kinds: ['broker'], broker: { connected: false } }),
      made({ name: 'missing', isSet: false }),
    ];
    expect(inOrder(items).map(({ name }) => name)).toEqual(['missing', 'away', 'good', 'unused']);
    expect(stateOf(made({ isSet: false })).word).toBe('Not there');
  });

  test('a secret that is used for calls has no test; one that no flow uses may be anything', () => {
    expect(testKinds(made({ kinds: ['secret'] }))).toEqual([]);
    expect(testKinds(made({ kinds: ['mail', 'http'] }))).toEqual(['mail']);
    expect(testKinds(made({ uses: 0 }))).toEqual(['mail', 'database', 'broker']);
  });

  test('a given value cannot be changed here', () => {
    expect(isOurs(made({ source: 'file' }))).toBe(false);
    expect(sourceWords(made({ source: 'file' }))).toContain('--secret');
    expect(isOurs(made({ isSet: false }))).toBe(true);
    expect(kindWords(['mail', 'database'])).toBe('Mail server and database');
  });

  test('a mail server becomes the value that docs/email.md describes', () => {
    const fields = { server: ' mail.example:587 ', security: 'starttls', user: 'engine', password: 'p', from: 'a@a.example' } as const; // prettier-ignore
    expect(JSON.parse(mailValue(fields))).toEqual({
      url: 'smtp://mail.example:587',
      user: 'engine',
      password: 'p',
      tls: 'starttls',
      from: 'a@a.example',
    });
    expect(JSON.parse(mailValue({ ...fields, security: 'tls', user: '', from: '' }))).toEqual({
      url: 'smtps://mail.example:587',
    });
  });
});
