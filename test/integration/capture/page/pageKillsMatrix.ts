import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { listenHttp } from '../../../support/listeners.ts';
import { killBrowsers } from './browserProcesses.ts';
import { device, openerFor } from './sites.ts';

/** Those of `make test`. The long test takes those between them. */
export const SHORT_MOMENTS: readonly number[] = [6, 24, 48];

/** @param moments milliseconds from the call that opens the page. */
export function testKillsWhileOpening(moments: readonly number[]): void {
  test('an open call ends, and the process stays alive, whenever the browser ends', async () => {
    const site = await listenHttp(({ url }, response) => {
      response
        .writeHead(url === '/missing' ? 404 : 200, { 'content-type': 'text/html' })
        .end('<!doctype html><p>A page.');
    });
    for (const ms of moments) {
      const opener = await openerFor();
      // Quick, because the site has no such page.
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
      await opener.close();
    }
    await site.close();
  }, 200_000);
}
