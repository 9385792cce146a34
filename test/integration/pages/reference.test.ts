/** The reference of the API at /docs. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { openApiDocument, operationsOf } from '../../../src/pages/reference/operations.ts';
import { type PagesServer, startPages } from './pagesServer.ts';

let server: PagesServer;
beforeAll(async () => {
  server = await startPages();
});
afterAll(() => server.close());

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
