/**
 * Measures how long one request holds the event loop of the API: `node test/bench/eventLoop.ts`. Sends the hostile bodies one after the
 * other, three times each, and prints the greatest delay beside that of an idle process. Writes nothing.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { createPublicApi } from '../../src/api/public/app.ts';
import { openArtifacts } from '../../src/artifacts/open.ts';
import { startEmbeddedPostgres } from '../../src/commands/dev/embeddedPostgres.ts';
import { DEFAULT_LIMITS } from '../../src/domain/limits.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../src/domain/uploads.ts';
import { openStore } from '../../src/store/database/database.ts';
import { migrate } from '../../src/store/database/migrate.ts';
import { readInstallation } from '../../src/store/installation/installation.ts';
import { createOrganization } from '../../src/store/organizations/organizations.ts';

const ROUNDS = 3;
const IDLE_MS = 2_000;
const MEBIBYTE = 1_048_576;

const site = { url: 'https://news.example/' };
const device = { name: 'desktop' };
const media = { type: 'url', content: 'https://a.example/' };
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

function requestOf(entries: unknown, more: object = {}): string {
  return JSON.stringify({ campaign: { name: 'C' }, screenshot_requests: entries, ...more });
}
const oneEntry = (screenshots: unknown) => requestOf([{ ad: { media }, screenshots }]);
const frames = (markers: unknown[]) => oneEntry([{ site, device, options: { ad: { frames: markers } } }]);

/** The lines "API" of the list of hostile inputs that are bodies, and bodies that cost much for their size. */
const BODIES: Readonly<Record<string, () => string | Buffer>> = {
  '1,000 × 14 screenshots × 31 empty frames, gzip': () => {
    const shot = { site, device, options: { ad: { frames: times(31, () => ({})) } } };
    return gzipSync(requestOf(times(1_000, () => ({ ad: { media }, screenshots: times(14, () => shot) }))));
  },
  '1,000 × 14 screenshots × 31 valid frames, gzip': () => {
    const shot = { site, device, options: { ad: { frames: times(31, (marker) => ({ marker: marker % 30 })) } } };
    return gzipSync(requestOf(times(1_000, () => ({ ad: { media }, screenshots: times(14, () => shot) }))));
  },
  '500,000 empty frames in one screenshot': () => frames(times(500_000, () => ({}))),
  '300,000 unknown topics': () =>
    requestOf([], { subscribers: [{ webhook: { url: 'https://h.example/', topics: times(300_000, () => 'x') } }] }),
  '300,000 empty entries': () => requestOf(times(300_000, () => ({}))),
  '40,000 empty screenshots': () => oneEntry(times(40_000, () => ({}))),
  '10,001 screenshots': () => oneEntry(times(10_001, (i) => ({ site: { url: `s${i}.example` }, device }))),
  '10,000 screenshots, accepted': () => oneEntry(times(10_000, (i) => ({ site: { url: `s${i}.example` }, device }))),
  'an empty object a million times': () => `{"x":[${'{},'.repeat(999_000)}{}]}`,
  '10,000 levels': () => '['.repeat(10_000) + ']'.repeat(10_000),
  '32 MiB in one string': () => JSON.stringify({ x: 'y'.repeat(32 * MEBIBYTE - 10) }),
  '32 MiB and a byte': () => JSON.stringify({ x: 'y'.repeat(32 * MEBIBYTE) }),
  '33 MiB of spaces, gzip': () => gzipSync(Buffer.alloc(33 * MEBIBYTE, 0x20)),
  'NUL, half of a surrogate pair and __proto__': () => `{"a":"\\u0000","b":"\\ud800","__proto__":{"campaign":1}}`,
  'markers "1", 1e400, -0 and 30.0000001': () =>
    frames([{ marker: '1' }, { marker: 30.0000001 }, { marker: -0 }]).replace('30.0000001', '1e400'),
};

interface Target {
  readonly url: string;
  readonly key: string;
}

/** Sends bodies on request of the main thread, so that only the service runs there. */
function runSender({ url, key }: Target): void {
  parentPort?.on('message', (name: string) => void sendBody({ url, key }, name));
}

async function sendBody({ url, key }: Target, name: string): Promise<void> {
  const body = BODIES[name]?.() ?? '';
  const headers: Record<string, string> = { authorization: key, 'content-type': 'application/json' };
  if (Buffer.isBuffer(body)) headers['content-encoding'] = 'gzip';
  parentPort?.postMessage('ready');
  const sent = { method: 'POST', headers, body: Buffer.from(body) };
  const status = await fetch(`${url}/api/v1/orgs/bench/screenshot_requests`, sent).then(
    async (answer) => `${answer.status} ${(await answer.text()).length} bytes`,
    String,
  );
  parentPort?.postMessage(status);
}

async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-bench-'));
  // PostgreSQL's account needs access, because its data is in this folder and is removed with it.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ folder: path.join(folder, 'postgres'), password: 'bench' });
  await migrate(postgres.url);
  const store = openStore({ url: postgres.url });
  const { api_key: key } = await createOrganization(store.db, { slug: 'bench' });
  const nothing = () => undefined;
  const app = createPublicApi({
    store,
    secret: (await readInstallation(store.db)).secret,
    queue: { enqueue: () => Promise.resolve() },
    publicUrl: 'https://shots.example',
    limits: DEFAULT_LIMITS,
    uploadLimits: DEFAULT_UPLOAD_LIMITS,
    log: { debug: nothing, info: nothing, warn: nothing, error: console.error },
    artifacts: openArtifacts(`file://${folder}/pictures`),
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sender = new Worker(fileURLToPath(import.meta.url), { workerData: { url, key } satisfies Target });
  try {
    await measure(sender);
  } finally {
    await sender.terminate();
    server.close();
    server.closeAllConnections();
    await store.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(sender: Worker): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const next = () => new Promise<string>((resolve) => sender.once('message', resolve));
  const shown = (name: string, status = '') =>
    console.log(`${(delay.max / 1e6).toFixed(0).padStart(6)} ms  ${name}  ${status}`);
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  shown('idle');
  for (const name of Object.keys(BODIES)) {
    let status = '';
    delay.reset();
    for (let round = 0; round < ROUNDS; round++) {
      const ready = next();
      sender.postMessage(name);
      await ready;
      if (round === 0) delay.reset();
      status = await next();
    }
    shown(name, status);
  }
  delay.disable();
}

if (isMainThread) await main();
else runSender(workerData as Target);
