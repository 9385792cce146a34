/**
 * Measures how long one request holds the event loop of the API: `node test/bench/loop.ts [PART OF A NAME…]`. It starts `tearsheet api` as a
 * process that loads this file too, sends the largest allowed bodies one after the other, and reads large objects. Writes nothing.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { startEmbeddedPostgres } from '../../src/commands/dev/embeddedPostgres.ts';
import { MAX_BODY_BYTES } from '../../src/domain/limits.ts';
import { median } from './figures.ts';
import { apiSettings, load } from './service.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const ROUNDS = 3;
const DEADLINE_MS = 60_000;
/** No request may hold the loop longer. */
const MOST_MS = 100;

const device = { name: 'desktop' };
const site = { url: 'https://news.example/' };
const media = { type: 'url', content: 'https://a.example/' };
const campaign = { name: 'C' };
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const pairs = (count: number) => Object.fromEntries(times(count, (i) => [`key${i}`, 'v']));
const requestOf = (entries: unknown, more: object = {}) => ({ campaign, screenshot_requests: entries, ...more });
const oneEntry = (screenshots: unknown) => requestOf([{ ad: { media }, screenshots }]);
const onSites = (count: number, more = '') =>
  oneEntry(times(count, (i) => ({ site: { url: `s${i}.example/${more}` }, device })));
const tag = (length: number) => ({ media: { type: 'html_tag', content: `<p>${'t'.repeat(length)}` } });
const OPTIONS = {
  ad: { frames: [{ marker: 1 }], allow_scaling: true },
  slot: { index: 2 },
  page: { other_ads: 'hide', full_page: true },
};
const topics = times(300_000, () => 'x');

/** By path and name: what the request sends. */
const BODIES: Readonly<Record<string, Readonly<Record<string, () => unknown>>>> = {
  screenshot_requests: {
    '10,000 screenshots, accepted': () => onSites(10_000),
    '10,001 screenshots': () => onSites(10_001),
    '10,000 screenshots with all options, accepted': () =>
      oneEntry(times(10_000, (i) => ({ site: { url: `s${i}.example` }, device, options: OPTIONS }))),
    '10,000 screenshots with addresses of 750 characters, accepted': () => onSites(10_000, 'p'.repeat(750)),
    '20,000 screenshots that are 100': () =>
      oneEntry(times(20_000, (i) => ({ site: { url: `s${i % 100}.example` }, device }))),
    '10,000 screenshots with unknown fields': () =>
      oneEntry(times(10_000, (i) => ({ site: { url: `s${i}.example` }, device, color: 'red', size: { a: 1 } }))),
    '10,000 empty screenshots': () => oneEntry(times(10_000, () => ({}))),
    '1,000 ads with 50 pairs of metadata, accepted': () =>
      requestOf(times(1_000, () => ({ ad: { media, metadata: pairs(50) }, screenshots: [{ site, device }] }))),
    '1,000 ads with tags of 8,000 characters, accepted': () =>
      requestOf(times(1_000, () => ({ ad: tag(8_000), screenshots: [{ site, device }] }))),
    '300,000 unknown topics': () =>
      requestOf([], { subscribers: [{ webhook: { url: 'https://h.example/', topics } }] }),
    '99,000 empty objects': () => ({ x: times(99_000, () => ({})) }),
    '1,035 objects of 50 names each': () => ({
      x: times(1_035, (i) => Object.fromEntries(times(50, (j) => [`k${i}_${j}`, 1]))),
    }),
    '12,900 objects of 4 names each': () => ({
      x: times(12_900, (i) => Object.fromEntries(times(4, (j) => [`k${i}_${j}`, 1]))),
    }),
    '51,900 long names': () => ({
      x: Object.fromEntries(times(51_900, (i) => [`key${i}`.padEnd(130, 'p'), 1])),
    }),
    '3,900 objects of 50 of 3,000 names': () => ({
      x: times(3_900, (i) => Object.fromEntries(times(50, (j) => [`k${(i * 7_919 + j * (i + 1)) % 3_000}`, 1]))),
    }),
    '160,000 numbers': () => ({ x: times(160_000, (i) => Number(`1.${i}2345678901234e-3${i % 9}`)) }),
    '8 MiB in one string': () => ({ x: 'y'.repeat(MAX_BODY_BYTES - 10) }),
    '8 MiB in one string of letters of two bytes': () => ({ x: 'ł'.repeat(MAX_BODY_BYTES / 2 - 10) }),
    '8 MiB in one string of escapes': () => ({ x: '\n'.repeat(MAX_BODY_BYTES / 2 - 10) }),
    '8 MiB in one name': () => ({ ['y'.repeat(MAX_BODY_BYTES - 10)]: 1 }),
    '8 MiB of instructions': () => requestOf([], { instructions: 'ł '.repeat(MAX_BODY_BYTES / 3 - 100) }),
    'a body of 8 MiB and a byte': () => ({ x: 'y'.repeat(MAX_BODY_BYTES) }),
  },
  ads: {
    'an ad, accepted': () => ({ campaign, ad: { media } }),
    'a tag of 1 MiB, accepted': () => ({ campaign, ad: tag(1_048_500) }),
    'a tag of 8 MiB': () => ({ campaign, ad: tag(MAX_BODY_BYTES - 200) }),
    'a name of 8 MiB': () => ({ campaign, ad: { media, name: 'ł'.repeat(MAX_BODY_BYTES / 2 - 200) } }),
    'a campaign of 8 MiB': () => ({ campaign: { name: 'ł '.repeat(MAX_BODY_BYTES / 3 - 200) }, ad: { media } }),
    'metadata of 500,000 pairs': () => ({ campaign, ad: { media, metadata: pairs(500_000) } }),
    'metadata of 51,900 pairs': () => ({ campaign, ad: { media, metadata: pairs(51_900) } }),
    'a text of metadata of 8 MiB': () => ({
      campaign,
      ad: { media, metadata: { a: 'b'.repeat(MAX_BODY_BYTES - 200) } },
    }),
  },
  templates: {
    'a template of 160,000 sites': () => ({ name: 'T', sites: times(160_000, () => 'a.example') }),
    'a template of 24,000 sites': () => ({ name: 'T', sites: times(24_000, (i) => `s${i}.example`), devices: [] }),
  },
  'events/replay': {
    'a replay of 160,000 events': () => ({ event_ids: times(160_000, (i) => `evt_${i}`) }),
    'a replay of 24,000 events': () => ({ event_ids: times(24_000, (i) => `evt_${i}`) }),
  },
  webhook_endpoints: {
    'an address of 8 MiB': () => ({ url: `https://h.example/${'p'.repeat(MAX_BODY_BYTES - 200)}` }),
  },
};

interface Sent {
  readonly name: string;
  /** Below the path of the organization, unless it begins with a slash. */
  readonly path: string;
  readonly method?: string;
  readonly body?: string | Buffer<ArrayBuffer>;
  readonly encoding?: string;
}

const zeros = (mebibytes: number) => Buffer.from(gzipSync(Buffer.alloc(mebibytes * 1_048_576, 0x20)));

function* requests(set: string): Generator<Sent> {
  for (const [place, bodies] of Object.entries(BODIES))
    for (const [name, body] of Object.entries(bodies)) yield { name, path: place, body: JSON.stringify(body()) };
  yield { name: '1,000 levels', path: 'ads', body: '['.repeat(1_000) + ']'.repeat(1_000) };
  for (const mebibytes of [8, 2_000])
    yield { name: `${mebibytes} MiB of spaces, gzip`, path: 'ads', body: zeros(mebibytes), encoding: 'gzip' };
  const get = { method: 'GET' };
  yield { name: 'reading a set of 10,000 screenshots', path: `screenshot_sets/${set}`, ...get };
  yield { name: '500 screenshots of a list', path: `screenshot_sets/${set}/screenshots?per_page=500`, ...get };
  yield { name: '500 ads of a list', path: 'ads?per_page=500', ...get };
  yield { name: 'the page of a set', path: `/o/bench/screenshot_sets/${set}`, ...get };
  yield { name: 'canceling a set of 10,000 screenshots', path: `screenshot_sets/${set}/cancel` };
  yield { name: 'a duplicate of 10,000 screenshots', path: `screenshot_sets/${set}/duplicate` };
}

/** Figures since the last reset, in milliseconds. */
interface Figures {
  /** Most processor time that the thread of the loop took between two ticks. Other processes hardly change it. */
  readonly slice: number;
  readonly all: number;
}

/** Measures the process that loads this file, and answers over the channel of `fork`. */
function startMeter(): void {
  const now = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [first, last, most] = [now(), now(), 0];
  const tick = () => {
    const time = now();
    most = Math.max(most, time - last);
    last = time;
  };
  setInterval(tick, 1).unref();
  process.on('message', () => {
    tick();
    process.send?.({ slice: most, all: last - first } satisfies Figures);
    [first, most] = [last, 0];
  });
  process.channel?.unref();
}

async function read(api: ChildProcess): Promise<Figures> {
  const answer = once(api, 'message', { signal: AbortSignal.timeout(DEADLINE_MS) });
  api.send('read');
  return (await answer)[0] as Figures;
}

async function withApi(work: (api: ChildProcess, origin: string, key: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-bench-'));
  // PostgreSQL's account needs access, because its data is in this folder and is removed with it.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ folder: path.join(folder, 'postgres'), password: 'bench' });
  try {
    const settings = await apiSettings(path.join(folder, 'pictures'));
    const env = { ...process.env, DATABASE_URL: postgres.url, ...settings };
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, [CLI, ...args], { env, timeout: DEADLINE_MS });
    await run('migrate');
    const { stdout } = await run('org', 'create', 'bench', '--json');
    const { api_key: key } = JSON.parse(stdout) as { api_key: string };
    const api = fork(CLI, ['api'], {
      env,
      execArgv: ['--import', import.meta.url],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    try {
      await ready(api);
      await work(api, settings.PUBLIC_URL, key);
    } finally {
      api.kill('SIGKILL');
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the log to the line that says that the program is ready, and drops the rest. */
async function ready({ stdout }: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('The service was not ready in time.')), DEADLINE_MS);
  stdout?.on('data', (chunk: Buffer) => {
    if (chunk.includes('"msg":"ready"')) resolve();
  });
  await promise.finally(() => clearTimeout(timer));
}

async function measure(names: readonly string[]): Promise<void> {
  await withApi(async (api, origin, key) => {
    const send = async ({ path: place, method = 'POST', body, encoding }: Sent) => {
      const headers = {
        authorization: key,
        'content-type': 'application/json',
        'content-encoding': encoding ?? 'identity',
      };
      const url = origin + (place.startsWith('/') ? place : `/api/v1/orgs/bench/${place}`);
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const answer = await fetch(url, {
        method,
        headers,
        signal,
        redirect: 'manual',
        body: body ?? null,
      });
      return { status: answer.status, text: await answer.text() };
    };
    const set = await send({ name: '', path: 'screenshot_requests', body: JSON.stringify(onSites(10_000)) });
    const { id } = JSON.parse(set.text) as { id: string };
    console.log('Milliseconds of processor time: longest slice of the loop, median of the longest, all.');
    for (const request of requests(id)) {
      if (names.length > 0 && !names.some((part) => request.name.includes(part))) continue;
      const figures: Figures[] = [];
      let answer = { status: 0, text: '' };
      for (let round = 0; round < ROUNDS; round++) {
        await read(api);
        answer = await send(request).catch((error: Error) => ({ status: 0, text: String(error.cause ?? error) }));
        figures.push(await read(api));
      }
      const slices = figures.map(({ slice }) => slice);
      const all = Math.max(...figures.map((one) => one.all));
      const cells = [Math.max(...slices), median(slices), all].map((value) => value.toFixed(0).padStart(6)).join('');
      const mark = median(slices) > MOST_MS ? '!' : ' ';
      console.log(`${cells} ${mark} ${request.name} (${answer.status}, ${answer.text.length} bytes; load ${load()})`);
    }
  });
}

if (import.meta.main) await measure(process.argv.slice(2));
// The options of Node also apply to the threads of the program.
else if (process.send !== undefined) startMeter();
