import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BodyThreads, type LargeBody } from '../../../../src/api/public/bodies/bodyThreads.ts';
import type { Encoding } from '../../../../src/api/public/bodies/inflate.ts';
import { parseCreateAd } from '../../../../src/contract/parseCreateAd.ts';
import { screenshotRequestParser } from '../../../../src/contract/parseScreenshotRequest.ts';
import { DEFAULT_LIMITS } from '../../../../src/domain/limits.ts';
import { runAtOnce } from '../../../../src/lib/slices.ts';

const MAX_VALUES = 100_000;
const MEBIBYTE = 1_048_576;
const ORGANIZATION = '/api/v1/orgs/:slug';
const threads = new BodyThreads(DEFAULT_LIMITS);
const campaign = { name: 'C' };
const media = { type: 'url', content: 'https://a.example/' };
const device = { name: 'desktop' };
const screenshots = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ site: { url: `s${index}.example` }, device }));
const request = (more: object = {}) => ({
  campaign,
  screenshot_requests: [{ ad: { media }, screenshots: screenshots(2_000) }],
  ...more,
});
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

interface Sending {
  readonly path?: string;
  readonly encoding?: Encoding;
}

/** The body in two parts, as it may arrive. */
function bodyOf(bytes: Buffer, { path = 'screenshot_requests', encoding }: Sending = {}): LargeBody {
  const half = Math.floor(bytes.length / 2);
  return {
    body: {
      parts: [new Uint8Array(bytes.subarray(0, half)), new Uint8Array(bytes.subarray(half))],
      bytes: bytes.length,
      encoding,
    },
    limits: { bytes: 8 * MEBIBYTE, values: MAX_VALUES },
    route: { method: 'POST', pattern: `${ORGANIZATION}/${path}` },
  };
}
const readRequest = (bytes: Buffer, encoding?: Encoding) =>
  threads.readRequest(bodyOf(bytes, encoding === undefined ? {} : { encoding }));
const readAd = (value: unknown) => threads.readJson(bodyOf(bytesOf(value), { path: 'ads' }));
const failureOf = (read: Promise<unknown>) => read.catch((error: unknown) => error);

function expectSameRequest(read: Awaited<ReturnType<typeof readRequest>>, value: object): void {
  const expected = runAtOnce(
    screenshotRequestParser(DEFAULT_LIMITS)(structuredClone(value) as Record<string, unknown>),
  );
  expect({ ...read.parsed, faults: read.parsed.faults.list }).toEqual({ ...expected, faults: expected.faults.list });
}

describe('a thread that reads a screenshot request', () => {
  test('finds what the parser finds, and hashes the bytes', async () => {
    const value = request();
    const read = await readRequest(bytesOf(value));
    expectSameRequest(read, value);
    const sha256 = createHash('sha256').update(JSON.stringify(value)).digest();
    expect([read.sha256, read.warnings, read.parsed.faults.any]).toEqual([sha256, [], false]);
  });

  test('sends a long list of entries, and a long entry, in parts that the service joins', async () => {
    const entry = (index: number) => ({
      ad: { lookup_key: `k${index}`, media: { type: 'html_tag', content: 't'.repeat(40_000) } },
      screenshots: screenshots(3),
    });
    const entries = [
      ...Array.from({ length: 50 }, (_, index) => entry(index)),
      { ad: { media }, screenshots: screenshots(6_000) },
    ];
    const value = request({ screenshot_requests: [...entries, entry(50)] });
    expectSameRequest(await readRequest(bytesOf(value)), value);
  });

  test('decompresses a body, and hashes its JSON', async () => {
    const value = request();
    const read = await readRequest(gzipSync(bytesOf(value)), 'gzip');
    expectSameRequest(read, value);
    expect(read.sha256).toEqual(createHash('sha256').update(JSON.stringify(value)).digest());
  });

  test('rejects a body that is too large when it is decompressed, or that is not compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * MEBIBYTE + 1, 0x20));
    expect(await failureOf(readRequest(bomb, 'gzip'))).toMatchObject({ status: 413, code: 'too_large' });
    expect(await failureOf(readRequest(bytesOf(request()), 'br'))).toMatchObject({ status: 400, code: 'malformed' });
  });

  test('reports the faults, also that there are more of them, and unknown fields', async () => {
    const value = request({ screenshot_requests: [{ ad: { media }, screenshots: Array(500).fill({}) }], budget: 1 });
    const { parsed, warnings } = await readRequest(bytesOf(value));
    const { faults } = runAtOnce(screenshotRequestParser(DEFAULT_LIMITS)(value));
    expect(parsed.faults.errors).toEqual(faults.errors);
    expect(parsed.faults.isFull).toBe(true);
    parsed.faults.add('campaign', 'is unknown.');
    expect(parsed.faults.errors).toEqual(faults.errors);
    expect(warnings.map(({ path }) => path)).toEqual(['budget']);
  });

  test('rejects what the parser cannot read, and reads the next body', async () => {
    expect(await failureOf(readRequest(Buffer.from('{"a":')))).toMatchObject({ status: 400, code: 'malformed' });
    expect(await failureOf(readRequest(Buffer.from('[]')))).toMatchObject({ status: 422, code: 'invalid' });
    const many = bytesOf({ x: Array(MAX_VALUES).fill({}) });
    expect(await failureOf(readRequest(many))).toMatchObject({ status: 413, code: 'too_large' });
    expect((await readRequest(bytesOf(request()))).parsed.entries.length).toBe(1);
  });
});

describe('a thread that reads another body', () => {
  const tag = { type: 'html_tag', content: `<p>${'t'.repeat(200_000)}` };

  test('sends back the known fields, and warns of the others', async () => {
    const value = { campaign, ad: { media: tag, metadata: { a: '1' }, budget: 5 }, x: Array(30_000).fill({}) };
    const read = await readAd(value);
    expect(read.value).toEqual({ campaign, ad: { media: tag, metadata: { a: '1' } } });
    expect(read.warnings.map(({ path }) => path).sort()).toEqual(['ad.budget', 'x']);
    expect(parseCreateAd(read.value, DEFAULT_LIMITS).faults.any).toBe(false);
  });

  test('keeps a field of metadata with the name of a prototype as a field', async () => {
    const text = `{"campaign":{"name":"C"},"ad":{"media":${JSON.stringify(tag)},"metadata":{"__proto__":"p"}}}`;
    const { value } = await threads.readJson(bodyOf(Buffer.from(text), { path: 'ads' }));
    expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(text));
    expect(JSON.stringify(value)).toContain('"__proto__":"p"');
  });

  test('rejects more values than any valid body has', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 25_001 }, (_, index) => [`k${index}`, 'v']));
    const failure = await failureOf(readAd({ campaign, ad: { media, metadata } }));
    expect(failure).toMatchObject({
      status: 422,
      errors: { body: ['must not have more than 25,000 values inside it.'] },
    });
  });

  test.each([
    ['a value', { 'ad.media.content': 1 }, { media: { type: 'html_tag', content: 't'.repeat(4 * MEBIBYTE + 1) } }],
    ['a name', { 'ad.metadata': 1 }, { media, metadata: { ['k'.repeat(4 * MEBIBYTE + 1)]: 'v' } }],
  ])('rejects %s that is longer than any valid text', async (_what, paths, ad) => {
    const failure = await failureOf(readAd({ campaign, ad }));
    const errors = Object.fromEntries(
      Object.keys(paths).map((path) => [path, ['must not have more than 4,194,304 characters.']]),
    );
    expect(failure).toMatchObject({ status: 422, code: 'invalid', errors });
  });
});

/** A thread that does what the body says. */
const CRASHING = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ body }) => {
    const wish = Buffer.concat(body.parts).toString();
    if (wish === 'ends') process.exit(7);
    if (wish === 'throws') throw new Error('broken');
    parentPort.postMessage({ result: { sha256: new Uint8Array(32), warnings: [], value: { x: 1 } } });
  });`;

describe('a body that a thread cannot finish', () => {
  const large = () => bodyOf(bytesOf({ x: Array(90_000).fill({ y: [] }) }));

  test('a thread that crashes fails its own body only, and another one reads the next body', async () => {
    const program = new URL(`data:text/javascript,${encodeURIComponent(CRASHING)}`);
    const fragile = new BodyThreads(DEFAULT_LIMITS, { program });
    const read = (text: string) => fragile.readJson(bodyOf(Buffer.from(text)));
    const [first, second] = await Promise.allSettled([read('ends'), read('throws')]);
    expect(first).toMatchObject({
      status: 'rejected',
      reason: { message: 'The thread that reads bodies ended with 7.' },
    });
    expect(second).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
    for (const text of ['works', 'works', 'works']) expect((await read(text)).value).toEqual({ x: 1 });
  });

  test('a thread that takes too long ends', async () => {
    const hasty = new BodyThreads(DEFAULT_LIMITS, { deadlineMs: 1 });
    expect(await failureOf(hasty.readRequest(large()))).toMatchObject({ status: 413, code: 'too_large' });
  });

  test('a body whose client has gone is not read', async () => {
    const gone = AbortSignal.abort();
    expect(await failureOf(threads.readJson(large(), gone))).toMatchObject({ status: 400, code: 'malformed' });
    const leaving = new AbortController();
    const read = failureOf(threads.readJson(large(), leaving.signal));
    leaving.abort();
    expect(await read).toMatchObject({ status: 400, code: 'malformed' });
  });
});

test('bodies of many requests are read in turn, and too many are refused', async () => {
  const bodies = Array.from({ length: 500 }, () => bodyOf(bytesOf({ campaign })));
  const read = await Promise.allSettled(bodies.map(async (body) => threads.readRequest(body)));
  const refused = read.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBe(500 - 102);
  expect(refused[0]).toMatchObject({ reason: { status: 503, code: 'unavailable', headers: { 'Retry-After': '2' } } });
});
