import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { RequestThreads } from '../../../../src/api/public/bodies/requestThreads.ts';
import { screenshotRequestParser } from '../../../../src/contract/parseScreenshotRequest.ts';
import { DEFAULT_LIMITS } from '../../../../src/domain/limits.ts';
import { runAtOnce } from '../../../../src/lib/slices.ts';

const MAX_VALUES = 100_000;
const threads = new RequestThreads(DEFAULT_LIMITS);
const media = { type: 'url', content: 'https://a.example/' };
const device = { name: 'desktop' };
const screenshots = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ site: { url: `s${index}.example` }, device }));
const request = (more: object = {}) => ({
  campaign: { name: 'C' },
  screenshot_requests: [{ ad: { media }, screenshots: screenshots(2_000) }],
  ...more,
});
const bytesOf = (value: unknown) => Buffer.concat([Buffer.from(JSON.stringify(value))]);
const failureOf = (body: Buffer) => threads.read(body, MAX_VALUES).catch((error: unknown) => error);

describe('a thread that reads a request', () => {
  test('finds what the parser finds, and hashes the bytes', async () => {
    const value = request();
    const sha256 = createHash('sha256').update(JSON.stringify(value)).digest();
    const read = await threads.read(bytesOf(value), MAX_VALUES);
    const expected = runAtOnce(screenshotRequestParser(DEFAULT_LIMITS)(value));
    expect({ ...read.parsed, faults: read.parsed.faults.list }).toEqual({ ...expected, faults: expected.faults.list });
    expect([read.sha256, read.warnings]).toEqual([sha256, []]);
    expect(read.parsed.faults.any).toBe(false);
  });

  test('reports the faults, also that there are more of them, and unknown fields', async () => {
    const value = request({ screenshot_requests: [{ ad: { media }, screenshots: Array(500).fill({}) }], budget: 1 });
    const { parsed, warnings } = await threads.read(bytesOf(value), MAX_VALUES);
    const { faults } = runAtOnce(screenshotRequestParser(DEFAULT_LIMITS)(value));
    expect(parsed.faults.errors).toEqual(faults.errors);
    expect(parsed.faults.isFull).toBe(true);
    parsed.faults.add('campaign', 'is unknown.');
    expect(parsed.faults.errors).toEqual(faults.errors);
    expect(warnings.map(({ path }) => path)).toEqual(['budget']);
  });

  test('rejects what the parser cannot read, and reads the next body', async () => {
    expect(await failureOf(Buffer.from('{"a":'))).toMatchObject({ status: 400, code: 'malformed' });
    expect(await failureOf(Buffer.from('[]'))).toMatchObject({ status: 422, code: 'invalid' });
    const many = bytesOf({ x: Array(MAX_VALUES).fill({}) });
    expect(await failureOf(many)).toMatchObject({ status: 413, code: 'too_large' });
    expect((await threads.read(bytesOf(request()), MAX_VALUES)).parsed.entries.length).toBe(1);
  });
});

test('bodies of many requests are read in turn, and too many are refused', async () => {
  const bodies = Array.from({ length: 500 }, () => bytesOf({ campaign: { name: 'C' } }));
  const read = await Promise.allSettled(bodies.map(async (body) => threads.read(body, MAX_VALUES)));
  const refused = read.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBe(500 - 102);
  expect(refused[0]).toMatchObject({ reason: { status: 503, code: 'unavailable', headers: { 'Retry-After': '2' } } });
});
