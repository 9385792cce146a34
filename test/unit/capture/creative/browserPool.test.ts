import { expect, test } from 'vitest';
import type { BrowserProcess } from '../../../../src/capture/browser/browserProcess.ts';
import { BrowserPool } from '../../../../src/capture/creative/renderer.ts';

/** A browser that dies, or is busy, when the test says so. */
class PlayedBrowser {
  closed = 0;
  dead = false;
  readonly version = '';
  readonly processGroup = 0;
  openPage: BrowserProcess['openPage'] = () => Promise.reject(new Error('The pool opens no pages.'));
  isAlive = () => !this.dead;
  kill = () => undefined;
  close = async () => {
    this.closed += 1;
  };
}

function createPool() {
  const started: PlayedBrowser[] = [];
  const start = async () => {
    const browser = new PlayedBrowser();
    started.push(browser);
    return browser;
  };
  return { pool: new BrowserPool(start), started };
}

/** Work that ends when the test calls `end`. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test('Callers at the same time get a browser each, and idle browsers are used again', async () => {
  const { pool, started } = createPool();
  const [first, second] = [held(), held()];
  const done = Promise.all([pool.use(first.work), pool.use(second.work)]);
  await new Promise(setImmediate);
  expect(pool.busy()).toEqual(started);
  first.end();
  second.end();
  await done;
  await pool.use(async () => undefined);
  expect(started.length).toBe(2);
  expect(pool.busy()).toEqual([]);
});

test('A browser is started when there is work, and a browser that died is replaced', async () => {
  const { pool, started } = createPool();
  expect(started).toEqual([]);
  await pool.use(async (browser) => expect(browser).toBe(started[0]));
  started[0]!.dead = true;
  await pool.use(async (browser) => expect(browser).toBe(started[1]));
  expect(started[0]!.closed).toBe(1);
});

test('Closing ends all browsers, busy ones too, and later calls are rejected', async () => {
  const { pool, started } = createPool();
  const first = held();
  const done = pool.use(first.work);
  await new Promise(setImmediate);
  await pool.close();
  expect(started[0]!.closed).toBe(1);
  first.end();
  await done;
  await expect(pool.use(async () => undefined)).rejects.toThrow('closed');
});

test('Closing waits for a browser that is still starting and closes it', async () => {
  const start = Promise.withResolvers<PlayedBrowser>();
  const pool = new BrowserPool(() => start.promise);
  const used = pool.use(async () => 'used').catch((error: unknown) => String(error));
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
  const pool = new BrowserPool(() => start.promise);
  const used = pool.use(async () => 'used').catch((error: unknown) => String(error));
  await new Promise(setImmediate);
  const closing = pool.close();
  start.reject(new Error('no memory'));
  await closing;
  expect(await used).toContain('no memory');
});
