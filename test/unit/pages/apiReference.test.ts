/** The script of the API reference, in place of the browser and of Scalar, which draws the document. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { openApiDocument } from '../../support/operations.ts';

const SCRIPT = readFileSync(path.join(import.meta.dirname, '../../../src/pages/assets/apiReference.js'), 'utf8');
const DOCUMENT = openApiDocument(DEFAULT_LIMITS);
const TEXT = JSON.stringify(DOCUMENT);

/** Runs the script in a page. @returns the text of the page and what Scalar gets. */
async function load({ organization = '', status = 200 }) {
  const place = { dataset: { document: '/openapi.json', base: '', organization }, textContent: '' };
  const location = { origin: 'https://shots.example' };
  const drawn: { content: typeof DOCUMENT; servers: { url: string }[] }[] = [];
  const started: (() => void)[] = [];
  runInNewContext(SCRIPT, {
    document: {
      addEventListener: (_name: string, start: () => void) => started.push(start),
      querySelector: () => place,
    },
    fetch: async () => new Response(TEXT, { status }),
    location,
    AbortSignal,
    Scalar: { createApiReference: (_place: string, options: (typeof drawn)[number]) => drawn.push(options) },
  });
  for (const start of started) start();
  await expect.poll(() => drawn.length > 0 || place.textContent !== '').toBe(true);
  return { text: place.textContent, drawn: drawn[0] };
}

it('requests to try name the organization and this service', async () => {
  const { drawn } = await load({ organization: 'acme' });
  const named = Object.values(drawn?.content.paths ?? {})
    .flatMap((methods) => Object.values(methods).flatMap(({ parameters = [] }) => parameters))
    .filter(({ name }) => name === 'organization_slug');
  expect(named.length).toBeGreaterThan(20);
  expect(named).toEqual(named.map(() => expect.objectContaining({ example: 'acme' })));
  expect(drawn?.servers).toEqual([{ url: 'https://shots.example' }]);
});

it('the page says so if the OpenAPI document cannot be loaded', async () => {
  const { text, drawn } = await load({ status: 503 });
  expect(text).toBe('The reference could not be loaded: /openapi.json answered 503. Reload the page.');
  expect(drawn).toBeUndefined();
});
