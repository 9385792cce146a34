import { expect, test } from 'vitest';
import { shapeOf } from '../../../src/api/public/requestBody.ts';
import { publicRoutes } from '../../../src/api/public/routes/routes.ts';
import { unknownFields, unknownParameters } from '../../../src/contract/faults.ts';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { required } from '../../support/required.ts';

const ROUTES = publicRoutes(DEFAULT_LIMITS);

const shapeOfRoute = (method: string, path: string) =>
  shapeOf(required(ROUTES.find((route) => route.method === method && route.path === path)).operation);

function unknownOf(method: string, path: string, body: unknown): string[] {
  const known = shapeOfRoute(method, path).body?.fields;
  return unknownFields(known, body).map((warning) => warning.path);
}

test('unknown fields are found at every depth, in the order of the schema', () => {
  const body = {
    campain: 1,
    campaign: { name: 'x', color: 'red' },
    screenshot_requests: [
      { ad: { id: 'x', nmae: 'y', media: { type: 'url', content: 'z', kind: 1 }, size: { width: 1, depth: 2 } } },
      { screenshots: [{ site: { url: 'x' }, device: { name: 'y', model: 1 }, options: { ad: { frame: [] } } }] },
      { screenshots: [{ options: { ad: { frames: [{ marker: 1, at: 2 }] }, slot: { select: '#a' }, pages: {} } }] },
    ],
    subscribers: [{ webhook: { url: 'x', topic: 'y' } }, { s3: { bucket: 'b', prefix: 'c' } }],
  };
  expect(unknownOf('post', '/screenshot_requests', body)).toEqual([
    'campain',
    'campaign.color',
    'screenshot_requests.0.ad.nmae',
    'screenshot_requests.0.ad.media.kind',
    'screenshot_requests.0.ad.size.depth',
    'screenshot_requests.1.screenshots.0.device.model',
    'screenshot_requests.1.screenshots.0.options.ad.frame',
    'screenshot_requests.2.screenshots.0.options.pages',
    'screenshot_requests.2.screenshots.0.options.ad.frames.0.at',
    'screenshot_requests.2.screenshots.0.options.slot.select',
    'subscribers.0.webhook.topic',
    'subscribers.1.s3.prefix',
  ]);
});

test('a body of wrong types has no unknown fields where there is no object', () => {
  for (const body of [{ campaign: [], ad: null }, { campaign: 'x', subscribers: { a: 1 } }, { ad: { media: [{}] } }])
    expect(unknownOf('post', '/ads', body)).toEqual([]);
});

test('names and headers that a client chooses are not unknown fields', () => {
  expect(unknownOf('post', '/webhook_endpoints', { url: 'x', headers: { 'X-Any': 'y' } })).toEqual([]);
});

test('the number of warnings and the length of names are limited', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]));
  expect(unknownOf('post', '/ads', { ad: many })).toHaveLength(100);
  expect(unknownOf('post', '/ads', { ['x'.repeat(5_000)]: 1 })).toEqual([`${'x'.repeat(200)}…`]);
});

test('a field that JavaScript objects inherit is unknown, too', () => {
  expect(unknownOf('post', '/ads', JSON.parse('{"__proto__":{"a":1},"constructor":1}')).sort()).toEqual([
    '__proto__',
    'constructor',
  ]);
});

test('unknown query parameters are found, with the known ones in the message', () => {
  const { query } = shapeOfRoute('get', '/campaigns');
  const [warning, ...others] = unknownParameters({ page: '1', form: '2026-01-01' }, query);
  expect(others).toEqual([]);
  expect(warning?.path).toBe('form');
  expect(warning?.message).toContain('page, per_page, after, q, from, to, name');
});
