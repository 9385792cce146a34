import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildOpenApi } from '../../../../src/api/public/openApi.ts';
import { ERROR_CODES } from '../../../../src/domain/failure.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at many places.
const document: any = buildOpenApi();

test('the OpenAPI document describes every endpoint and its failures', () => {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path.replace('/api/v1/orgs/{organization_slug}/', ''),
    Object.keys(operations as object).sort(),
  ]);
  expect(Object.fromEntries(paths)).toEqual({
    ads: ['get', 'post'],
    'ads/{id}': ['delete', 'get', 'patch'],
    'ads/{id}/check': ['get'],
    uploads: ['get', 'post'],
    'uploads/{id}': ['delete', 'get'],
    templates: ['get', 'post'],
    'templates/{id}': ['delete'],
    site_lists: ['get', 'post'],
    'site_lists/{id}': ['delete'],
    site_rules: ['get', 'post'],
    'site_rules/import': ['post'],
    'site_rules/{id}': ['delete', 'get', 'patch'],
    screenshot_requests: ['post'],
    schedules: ['get', 'post'],
    'schedules/{id}': ['delete', 'get', 'patch'],
    'schedules/{id}/runs': ['post'],
    locations: ['get'],
    placements: ['post'],
    'placements/{id}': ['get'],
    campaigns: ['get'],
    'campaigns/{id}': ['delete', 'get', 'patch'],
    'campaigns/{id}/shares': ['get', 'post'],
    'campaigns/{id}/shares/{share_id}': ['delete', 'patch'],
    'campaigns/{id}/exports': ['get', 'post'],
    screenshot_sets: ['get'],
    'screenshot_sets/{id}': ['delete', 'get', 'patch'],
    'screenshot_sets/{id}/approve': ['post'],
    'screenshot_sets/{id}/reject': ['post'],
    'screenshot_sets/{id}/reopen': ['post'],
    'screenshot_sets/{id}/reviews': ['post'],
    'screenshot_sets/{id}/comments': ['get', 'post'],
    'screenshot_sets/{id}/answers': ['get'],
    'screenshot_sets/{id}/cancel': ['post'],
    'screenshot_sets/{id}/retake': ['post'],
    'screenshot_sets/{id}/screenshots': ['get'],
    'screenshot_sets/{id}/duplicate': ['post'],
    'screenshot_sets/{id}/shares': ['get', 'post'],
    'screenshot_sets/{id}/shares/{share_id}': ['delete', 'patch'],
    'screenshots/{id}': ['get'],
    'screenshots/{id}/retake': ['post'],
    'screenshots/{id}/review': ['post'],
    'screenshots/{id}/comments': ['get', 'post'],
    'comments/{id}': ['delete', 'patch'],
    settings: ['get', 'patch'],
    screenshots: ['get'],
    deliveries: ['get'],
    'deliveries/{id}': ['get'],
    'deliveries/{id}/replay': ['post'],
    'screenshot_sets/{id}/exports': ['get', 'post'],
    'screenshot_sets/{id}/export': ['get'],
    'exports/{id}': ['get'],
    keys: ['get', 'post'],
    'keys/{key_id}': ['delete'],
    members: ['get'],
    'members/{user_id}': ['delete', 'patch'],
    invitations: ['get', 'post'],
    'invitations/{id}': ['delete'],
    webhook_secret: ['get'],
    'webhook_secret/rotate': ['post'],
    webhook_tests: ['post'],
    events: ['get'],
    'events/replay': ['post'],
    'events/{id}': ['get'],
    webhook_endpoints: ['get', 'post'],
    'webhook_endpoints/{id}': ['delete', 'get', 'patch'],
    'webhook_endpoints/{id}/rotate': ['post'],
    'webhook_endpoints/{id}/test': ['post'],
    connectors: ['get'],
    'connectors/{name}': ['delete', 'get', 'put'],
    'connectors/{name}/check': ['post'],
    branding: ['get', 'put'],
    'branding/logo': ['delete', 'put'],
    'campaigns/{id}/logo': ['delete', 'get', 'put'],
    audit_log: ['get'],
    usage: ['get'],
  });
  const create = document.paths['/api/v1/orgs/{organization_slug}/ads'].post;
  expect(Object.keys(create.responses).sort()).toEqual(
    ['200', '201', '400', '401', '403', '404', '409', '413', '415', '422', '429', 'default'].sort(),
  );
});

test('every operation has an id of its own, in camel case', () => {
  const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap((path) =>
    Object.values(path as object),
  );
  const ids: string[] = operations.map((operation) => operation.operationId);
  expect(ids.length).toBeGreaterThan(50);
  for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z0-9]+)+$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test('each object has one model, which also events use', () => {
  const names = Object.keys(document.components.schemas);
  expect(names.filter((name) => name.endsWith('Output'))).toEqual([]);
  expect(document.components.schemas.AdEvent.properties.data.properties.object).toEqual({
    $ref: '#/components/schemas/Ad',
  });
});

test('a body that needs one of several fields says so', () => {
  const { CampaignReference, Subscriber, SlotChoice, ScreenshotReview, Device } = document.components.schemas;
  for (const schema of [CampaignReference, Subscriber, Device, ScreenshotReview]) expect(schema.anyOf).toHaveLength(2);
  expect(SlotChoice.oneOf).toHaveLength(4);
});

test('query parameters have the limits of the parser', () => {
  const { parameters } = document.paths['/api/v1/orgs/{organization_slug}/ads'].get;
  const schemas = parameters.map((parameter: { name: string; schema: object }) => [parameter.name, parameter.schema]);
  expect(Object.fromEntries(schemas)).toMatchObject({
    page: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    per_page: { type: 'integer', minimum: 1, maximum: 500 },
    campaign_id: { type: 'string', format: 'uuid' },
    q: { type: 'string', maxLength: 200 },
  });
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

test('docs/api.md and the OpenAPI document name every error code with its meaning', () => {
  const guide = readFileSync(path.join(import.meta.dirname, '../../../../docs/api.md'), 'utf8');
  const table = [...guide.matchAll(/^\| \d{3} \| `(\w+)` \| (.*) \|$/gm)].map(([, code, meaning]) => [code, meaning]);
  expect(Object.fromEntries(table)).toEqual(ERROR_CODES);
  const { description } = document.components.schemas.Failure.properties.code;
  for (const code of Object.keys(ERROR_CODES)) expect(description).toContain(`\`${code}\``);
});
