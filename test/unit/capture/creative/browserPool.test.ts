import { expect, test } from 'vitest';
import type { SteppedBrowser } from '../../../../src/capture/browser/steppedBrowser.ts';
import { BrowserPool } from '../../../../src/capture/creative/renderer.ts';

/** A browser that dies, or is busy, when the test says so. */
class PlayedBrowser {
  closed = 0;
  dead = false;
  readonly profile = '';
  readonly processGroup = undefined;
  get cdp(): SteppedBrowser['cdp'] {
    throw new Error('The pool does not call browsers.');
  }
  isAlive = () => !this.dead;
  close = async () => {
    this.closed += 1;
  };
}

function poolOf(size: number) {
  const started: PlayedBrowser[] = [];
  const start = async () => {
    const browser = new PlayedBrowser();
    started.push(browser);
    return browser;
  };
  return { pool: new BrowserPool(start, size), started };
}

const patient = new AbortController().signal;

/** Work that ends when the test calls `end`. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test('At most two browsers of a pool of two work at once, and both are used again', async () => {
  const { pool, started } = poolOf(2);
  let atOnce = 0;
  let most = 0;
  const work = async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
  };
  await Promise.all(Array.from({ length: 6 }, () => pool.use(work, patient)));
  expect([most, started.length]).toEqual([2, 2]);
  expect(pool.busy()).toEqual([]);
});

test('A browser is started when there is work, and a browser that died is replaced', async () => {
  const { pool, started } = poolOf(1);
  expect(started).toEqual([]);
  await pool.use(async (browser) => expect(browser).toBe(started[0]), patient);
  started[0]!.dead = true;
  await pool.use(async (browser) => expect(browser).toBe(started[1]), patient);
  expect(started[0]!.closed).toBe(1);
});

test('A caller that is aborted while it waits does not take the turn of the next caller', async () => {
  const { pool } = poolOf(1);
  const first = held();
  const done = pool.use(first.work, patient);
  const impatient = new AbortController();
  const second = pool.use(async () => 'second', impatient.signal);
  const third = pool.use(async () => 'third', patient);
  impatient.abort(new Error('no longer wanted'));
  await expect(second).rejects.toThrow('no longer wanted');
  first.end();
  await done;
  expect(await third).toBe('third');
});

test('A caller that is aborted when its turn comes passes the turn to the next caller', async () => {
  const { pool } = poolOf(1);
  const impatient = new AbortController();
  const done = pool.use(async () => {
    await new Promise(setImmediate);
    // In the same turn as the end of this work.
    queueMicrotask(() => queueMicrotask(() => impatient.abort(new Error('no longer wanted'))));
  }, patient);
  const second = pool.use(async () => 'second', impatient.signal).catch(() => 'gone');
  const third = pool.use(async () => 'third', patient);
  await done;
  expect(['second', 'gone']).toContain(await second);
  expect(await third).toBe('third');
});

test('Closing ends all browsers, busy ones too, and later calls are rejected', async () => {
  const { pool, started } = poolOf(1);
  const first = held();
  const done = pool.use(first.work, patient);
  await new Promise(setImmediate);
  await pool.close();
  expect(started[0]!.closed).toBe(1);
  first.end();
  await done;
  await expect(pool.use(async () => undefined, patient)).rejects.toThrow('closed');
});

test('Closing waits for a browser that is still starting and closes it', async () => {
  const start = Promise.withResolvers<PlayedBrowser>();
  const pool = new BrowserPool(() => start.promise, 1);
  const used = pool.use(async () => 'used', patient).catch((error: unknown) => String(error));
  await new Promise(setImmediate);
  let isClosed = false;
  const closing = pool.close().then(() => {
    isClosed = true;
  });
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  const browser = new PlayedBrowser();
  start.resolve(browser);
  await closing;
  expect(browser.closed).toBe(1);
  expect(await used).toContain('closed while its browser started');
});

test('Closing does not fail when a browser that is still starting does not start', async () => {
  const start = Promise.withResolvers<PlayedBrowser>();
  const pool = new BrowserPool(() => start.promise, 1);
  const used = pool.use(async () => 'used', patient).catch((error: unknown) => String(error));
  await new Promise(setImmediate);
  const closing = pool.close();
  start.reject(new Error('no memory'));
  await closing;
  expect(await used).toContain('no memory');
});
