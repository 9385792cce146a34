/** The reference of the API at /docs, in a real browser. */
import type { Browser } from 'playwright';
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { openApiDocument, operationsOf } from '../../../src/pages/reference/operations.ts';
import { axeFaults, sidewaysScroll } from '../../support/axe.ts';
import { openPage } from './browser.ts';
import type { PagesServer } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

let server: PagesServer;
let browser: Browser;
preparePages((started) => {
  ({ server, browser } = started);
});

it.each(
  [390, 768, 1440].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))),
)('axe finds nothing in the reference at $width px, $colorScheme', async ({ width, colorScheme }) => {
  const { page, faults } = await openPage(browser, { viewport: { width, height: 900 }, colorScheme });
  await page.goto(`${server.url}/docs`);
  expect([await axeFaults(page), await sidewaysScroll(page), faults]).toEqual([[], undefined, []]);
  await page.context().close();
});

it('the reference has a strict policy, needs no script, and its links lead somewhere', async () => {
  const response = await fetch(`${server.url}/docs`);
  expect(response.headers.get('content-security-policy')).toContain("style-src 'self';");
  const text = await response.text();
  const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const targets = [...text.matchAll(/ href="#([^"]+)"/g)].map(([, target]) => target);
  expect(targets.length).toBeGreaterThan(80);
  expect(targets.filter((target) => !ids.has(target))).toEqual([]);
  for (const { id } of operationsOf(openApiDocument(DEFAULT_LIMITS).paths)) expect(ids).toContain(id);
  expect(text).toContain('Authorization: Bearer $KEY');
  expect(text).not.toContain('<script>');
});
