import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { killBrowsers } from './browserProcesses.ts';
import { device, openerFor } from './sites.ts';

let opener: PageOpener;
let site: Listener;
let onRequest: (answer: () => void) => void = (answer) => answer();

beforeAll(async () => {
  site = await listenHttp(({ url }, response) =>
    onRequest(() => {
      response.writeHead(url === '/missing' ? 404 : 200, { 'content-type': 'text/html' });
      response.end('<!doctype html><p>A page.');
    }),
  );
  opener = await openerFor();
});
afterAll(async () => {
  await opener?.close();
  await site?.close();
});

test('a browser that ends during an open call rejects, and the next call starts another browser', async () => {
  onRequest = killBrowsers;
  await expect(opener.open(site.url, device('desktop'))).rejects.toThrow(/^The browser ended: /);
  onRequest = (answer) => answer();
  const page = await opener.open(site.url, device('desktop'));
  expect(page).toMatchObject({ status: 'ready' });
  if (page.status === 'ready') await page.close();
});

test('an open call ends, and the process stays alive, whenever the browser ends', async () => {
  for (let ms = 0; ms < 60; ms += 6) {
    // Starts the browser, and is quick because the site has no such page.
    await opener.open(`${site.url}/missing`, device('desktop'));
    const opening = opener.open(site.url, device('desktop')).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
    await pause(ms);
    killBrowsers();
    expect(await opening).toMatch(/^(ready|generic_error|(The browser ended|The page could not be opened): .*)$/);
    // The opener may hear later than the call that its browser is gone.
    await eventually(() => expect(opener.memoryConsumers()).toEqual([]));
  }
}, 200_000);
