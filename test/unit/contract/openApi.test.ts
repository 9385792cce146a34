import { expect, test } from 'vitest';
import { buildOpenApi } from '../../../src/contract/openApi.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at many places.
const document: any = buildOpenApi();

test('the OpenAPI document describes every endpoint and its failures', () => {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path.replace('/api/v1/orgs/{organization_slug}/', ''),
    Object.keys(operations as object).sort(),
  ]);
  expect(Object.fromEntries(paths)).toEqual({
    ads: ['get', 'post'],
    'ads/{id}': ['get'],
    screenshot_requests: ['post'],
    campaigns: ['get'],
    screenshot_sets: ['get'],
    'screenshot_sets/{id}': ['get'],
    'screenshot_sets/{id}/approve': ['post'],
    'screenshot_sets/{id}/reject': ['post'],
    'screenshot_sets/{id}/cancel': ['post'],
    screenshots: ['get'],
    deliveries: ['get'],
    'deliveries/{id}/replay': ['post'],
  });
  const create = document.paths['/api/v1/orgs/{organization_slug}/ads'].post;
  expect(Object.keys(create.responses).sort()).toEqual(
    ['200', '201', '400', '401', '403', '404', '409', '413', '415', '422', '429', 'default'].sort(),
  );
});

test('every reference in the OpenAPI document has a target', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '');
  expect(references.length).toBeGreaterThan(20);
  for (const reference of references) {
    const found = reference.split('/').reduce((at, key) => at?.[key], document);
    expect(found, reference).toBeDefined();
  }
});

test('the schema of create-ad requires campaign and ad, and states the limits', () => {
  const { CreateAd, ScreenshotObject, CreateAdObject } = document.components.schemas;
  expect(CreateAd.required).toEqual(['campaign', 'ad']);
  expect(JSON.stringify(CreateAdObject)).toContain('"maxLength":255');
  expect(JSON.stringify(ScreenshotObject)).toContain('"maximum":30');
});
