import { expect, test } from 'vitest';

import { isLoadingAhead, pageCode } from './page-code';

const Page = () => null;

test('the code is asked for once, and readers hear when it is there', async () => {
  let asked = 0;
  let heard = 0;
  const code = pageCode([], () => {
    asked++;
    return Promise.resolve(Page);
  });
  code.subscribe(() => heard++);
  expect(code.read().kind).toBe('wanted');
  code.load();
  code.load();
  expect(code.read().kind).toBe('coming');
  await expect.poll(() => code.read()).toEqual({ kind: 'here', page: Page });
  code.load();
  expect([asked, heard]).toEqual([1, 1]);
});

test('code that did not come can be asked for again', async () => {
  let isAway = true;
  const code = pageCode([], () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(Page)));
  code.load();
  await expect.poll(() => code.read().kind).toBe('lost');
  isAway = false;
  code.load();
  await expect.poll(() => code.read().kind).toBe('here');
});

test('who has left hears nothing', async () => {
  let heard = 0;
  const code = pageCode([], () => Promise.resolve(Page));
  const leave = code.subscribe(() => heard++);
  leave();
  code.load();
  await expect.poll(() => code.read().kind).toBe('here');
  expect(heard).toBe(0);
});

test('code that nobody waits for is known as such until it has come or is lost', async () => {
  for (const fetchPage of [() => Promise.resolve(Page), () => Promise.reject(new Error('away'))]) {
    const code = pageCode([], fetchPage);
    const loading = code.loadAhead();
    expect(isLoadingAhead()).toBe(true);
    await loading;
    expect(isLoadingAhead()).toBe(false);
    expect(code.read().kind).not.toBe('coming');
  }
});
