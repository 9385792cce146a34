import { expect, test } from 'vitest';
import { parseJson } from '../../../../src/api/public/requestBody.ts';
import type { Failure } from '../../../../src/domain/failure.ts';
import { MAX_BODY_SHAPES, MAX_BODY_VALUES } from '../../../../src/domain/limits.ts';

/** @returns the status of its answer; 200 if it is accepted. */
const statusOf = (body: string | Buffer) =>
  parseJson(Buffer.from(body)).then(
    () => 200,
    ({ status }: Failure) => status,
  );

test.each([
  ['nothing', ''],
  ['half of an object', '{"campaign":'],
  ['two objects', '{}{}'],
  ['NaN', '{"campaign":NaN}'],
  ['a trailing comma', '{"a":1,}'],
  ['a string without an end', '{"a":"\\'],
  ['closing brackets', ']]}}:'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
])('a body of %s is malformed', async (_what, body) => {
  expect(await statusOf(body)).toBe(400);
});

test.each(['null', '[]', '"x"', '5', 'true'])('the body %s is not an object', async (body) => {
  expect(await statusOf(body)).toBe(422);
});

test('a body that nests more than 1,000 levels anywhere is malformed', async () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  expect([await statusOf('['.repeat(10_000)), await statusOf(nested(1_001))]).toEqual([400, 400]);
  expect(await statusOf(nested(1_000))).toBe(200);
});

test('a body of too many values is rejected, and text has none', async () => {
  expect(await statusOf(`{"x":[${'1,'.repeat(MAX_BODY_VALUES)}1]}`)).toBe(413);
  expect(await statusOf(JSON.stringify({ x: ',{[:"\\'.repeat(MAX_BODY_VALUES) }))).toBe(200);
});

test('a body of too many objects with different fields is rejected', async () => {
  const different = (count: number) =>
    JSON.stringify({ x: Array.from({ length: count / 2 }, (_, i) => ({ [`a${i}`]: 1, b: 2 })) });
  expect(await statusOf(different(MAX_BODY_SHAPES + 2))).toBe(413);
  expect(await statusOf(different(MAX_BODY_SHAPES - 2))).toBe(200);
});

test('ten thousand screenshots of a thousand ads may have all options', async () => {
  const ad = { frames: [{ marker: 1 }], allow_scaling: true };
  const options = { ad, slot: { index: 2 }, page: { other_ads: 'hide', full_page: true } };
  const screenshots = Array.from({ length: 10 }, () => ({ site: { url: 'x' }, device: { name: 'y' }, options }));
  const entries = Array.from({ length: 1_000 }, () => ({ ad: { media: { type: 'x', content: 'y' } }, screenshots }));
  expect(await statusOf(JSON.stringify({ campaign: {}, screenshot_requests: entries }))).toBe(200);
});
