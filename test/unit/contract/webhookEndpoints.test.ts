import { expect, test } from 'vitest';
import { NewWebhookEndpoint } from '../../../src/contract/webhookEndpoints.ts';

const faultsOf = (headers: object) =>
  new Set(
    NewWebhookEndpoint.safeParse({ url: 'https://hook.example/', headers }).error?.issues.map(({ path }) =>
      path.join('.'),
    ),
  ).size;

test.each([
  ['Host', 'a'],
  ['content-length', '1'],
  ['Content-Type', 'text/plain'],
  ['Transfer-Encoding', 'chunked'],
  ['Connection', 'close'],
  ['Proxy-Authorization', 'a'],
  ['Webhook-Id', 'a'],
  ['X Y', 'a'],
  ['', 'a'],
  ['X-A', 'a\r\nHost: b'],
  ['X-A', 'caf\u00e9'],
  ['X-A', ' '],
  ['X-A', 'a'.repeat(1_025)],
  ['X'.repeat(65), 'a'],
])('the header %j with the value %j is a fault', (name, value) => {
  expect(faultsOf({ [name]: value })).toBe(1);
});

test('an endpoint has at most ten headers', () => {
  const some = (length: number) => Object.fromEntries(Array.from({ length }, (_, i) => [`X-${i}`, 'a']));
  expect([faultsOf(some(10)), faultsOf(some(11))]).toEqual([0, 1]);
});
