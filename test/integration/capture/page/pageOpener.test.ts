import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { killBrowsers, killRenderers } from './browserProcesses.ts';
import { SHORT_MOMENTS, testKillsWhileOpening } from './pageKillsMatrix.ts';
import { device, openerFor } from './sites.ts';

const STATUS: Readonly<Record<string, number>> = { '/missing': 404, '/refused': 403 };

let opener: PageOpener;
let site: Listener;
let onRequest: (answer: () => void) => void = (answer) => answer();

beforeAll(async () => {
  site = await listenHttp(({ url }, response) =>
    onRequest(() => {
      response.writeHead(STATUS[url ?? ''] ?? 200, { 'content-type': 'text/html' });
      response.end('<!doctype html><p>A page.');
    }),
  );
  opener = await openerFor();
});
afterAll(async () => {
  await opener?.close();
  await site?.close();
});

test('a site that refuses the visit is pictured as it is, and one that does not answer is not', async () => {
  const refused = await opener.open(`${site.url}/refused`, device('desktop'));
  expect(refused).toMatchObject({ status: 'blocked', picture: { width: 1440, height: 900 } });
  const { channels } = await sharp('picture' in refused ? refused.picture?.png : undefined).stats();
  expect(channels[0]?.min).toBeLessThan(100);
  const away = await opener.open('http://127.0.0.1:1/', device('desktop'));
  expect([away.status, 'picture' in away && away.picture]).toEqual(['generic_error', undefined]);
});

test('an open call rejects if the browser ends during the call, or has ended before', async () => {
  onRequest = killBrowsers;
  for (let call = 1; call <= 2; call += 1)
    await expect(opener.open(site.url, device('desktop'))).rejects.toThrow(/^The browser ended: /);
  onRequest = (answer) => answer();
});

test('a page that crashes before the site answers is a crash, not a failure of the site', async () => {
  await opener.close();
  opener = await openerFor();
  onRequest = killRenderers;
  await expect(opener.open(site.url, device('desktop'))).rejects.toThrow(/^The page crashed: /);
  onRequest = (answer) => answer();
  expect(await opener.open(site.url, device('desktop'))).toMatchObject({ status: 'ready' });
});

testKillsWhileOpening(SHORT_MOMENTS);
