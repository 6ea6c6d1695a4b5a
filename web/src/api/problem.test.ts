import { expect, test } from 'vitest';

import { engine } from '../texts/de/engine';
import { engineWords } from '../texts/engine';
import { problemOf } from './problem';

test('a refusal is said by its code, else by its status, with the words of the engine behind it', () => {
  const { sayRefusal } = engineWords(engine);
  const says = (status: number, body: unknown) => problemOf(status, body, sayRefusal);
  expect(says(409, { error: 'conflict', message: 'it runs', code: 'RUNS_LEFT' })).toMatchObject({
    message: 'Der Ablauf hat noch Läufe. (it runs)',
    sentence: 'Der Ablauf hat noch Läufe.',
    own: 'it runs',
  });
  expect(says(409, { error: 'conflict', message: 'no', code: 'OF_A_NEWER_ENGINE' }).sentence).toBe(
    engine.refusals['conflict'],
  );
  // The entity API has its code elsewhere, and in front of the sentence.
  const body = {
    title: 'Not Found',
    detail: 'ENTITY_NOT_FOUND: there is none',
    properties: { errorCode: 'ENTITY_NOT_FOUND' },
  };
  expect(says(404, body).message).toBe('Diese Entität gibt es nicht. (there is none)');
  // The engine's own words are all there is where nobody has other ones, and in English.
  expect(says(418, { message: 'short and stout' })).toMatchObject({
    message: 'short and stout',
    sentence: '',
  });
  expect(problemOf(404, body)).toMatchObject({ message: 'ENTITY_NOT_FOUND: there is none', sentence: '' });
});
