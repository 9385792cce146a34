import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { killBrowsers } from './browserProcesses.ts';
import { device, openerFor } from './sites.ts';

let opener: PageOpener;
let site: Listener;
let onRequest: (answer: () => void) => void = (answer) => answer();

beforeAll(async () => {
  site = await listenHttp((_request, response) =>
    onRequest(() => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>A page.')),
  );
  opener = await openerFor();
});
afterAll(async () => {
  await opener?.close();
  await site?.close();
});

test('a browser that ends while a site is opened is no answer of that site, and the next opening has another', async () => {
  onRequest = killBrowsers;
  await expect(opener.open(site.url, device('desktop'))).rejects.toThrow(/^The browser ended: /);
  onRequest = (answer) => answer();
  const page = await opener.open(site.url, device('desktop'));
  expect(page).toMatchObject({ status: 'ready' });
  if (page.status === 'ready') await page.close();
});

test('a browser that ends at whatever moment of an opening leaves it neither waiting nor the process broken', async () => {
  onRequest = (answer) => answer();
  for (let ms = 0; ms < 60; ms += 4) {
    const warm = await opener.open(site.url, device('desktop'));
    if (warm.status === 'ready') await warm.close();
    const opening = opener.open(site.url, device('desktop')).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
    await pause(ms);
    killBrowsers();
    expect(await opening).toMatch(/^(ready|generic_error|The browser ended: .*)$/);
  }
});
