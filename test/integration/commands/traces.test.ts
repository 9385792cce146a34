/** A request over `tearsheet api`, `tearsheet controller`, captures and the webhook, and its trace as a collector receives it. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../src/commands/dev/embeddedPostgres.ts';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { openStore } from '../../../src/db/database.ts';
import { type Publishers, startPublishers } from '../../fixtures/publisherServer.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { type Listener, listenHttp } from '../../support/listeners.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../support/otlpReceiver.ts';
import { type RequestGate, startRequestGate } from '../../support/requestGate.ts';
import { type ServiceProcess, startService } from '../../support/serviceProcess.ts';
import { TEST_KEY_RING, TEST_KEYS } from '../../support/testKeys.ts';

const ROOT_SPAN = 'POST /api/v1/orgs/:slug/screenshot_requests';
const SECRETS = { query: 'query-of-the-site', hook: 'token-of-the-hook', baggage: 'baggage-of-the-client' };

let folder: string;
let database: TestDatabase;
let publishers: Publishers;
let gate: RequestGate;
let hooks: Listener;
let collector: OtlpReceiver;
let services: ServiceProcess[];
/** Exports to the collector. */
let traced: Awaited<ReturnType<typeof begin>>;
let key: { readonly api_key: string; readonly webhook_secret: string };
/** The `traceparent` of each webhook, by the id of its set. */
let heard: Map<string, string | undefined>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-traces-'));
  database = await testDatabase();
  [publishers, gate, collector] = await Promise.all([startPublishers(), startRequestGate(), startOtlpReceiver()]);
  services = [];
  heard = new Map();
  hooks = await listenHttp(async (request, response) => {
    const body = (await new Response(request as never).json()) as { data: { object: { id: string } } };
    heard.set(body.data.object.id, request.headers['traceparent'] as string | undefined);
    response.writeHead(204).end();
  });
  const store = openStore({ url: database.url, maxConnections: 1, keyRing: TEST_KEY_RING });
  key = await createOrganization(store.db, { slug: 'acme' });
  await store.close();
  traced = await begin({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-token',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
});

afterAll(async () => {
  await stop();
  await Promise.all([hooks, publishers, gate, collector].map((each) => each.close()));
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function stop(): Promise<(number | null)[]> {
  for (const service of services) service.kill('SIGTERM');
  return Promise.all(services.splice(0).map(({ ended }) => ended));
}

async function begin(otel: Readonly<Record<string, string>>) {
  const [port, internalPort, apiMetrics, controllerMetrics] = await Promise.all([1, 2, 3, 4].map(freePort));
  const env = {
    ...{ DATABASE_URL: database.url, SECRETS_KEYS: TEST_KEYS, HOST: '127.0.0.1', PORT: String(port) },
    ARTIFACTS_URL: pathToFileURL(path.join(folder, 'pictures')).href,
    ...{ INTERNAL_PORT: String(internalPort), INTERNAL_URL: `http://127.0.0.1:${internalPort}` },
    ...{ PUBLIC_URL: `http://127.0.0.1:${port}`, EGRESS_ALLOW: '127.0.0.0/8', CAPTURE_PARALLELISM: '1' },
    ...{ TMPDIR: folder, ...otel },
  };
  const api = startService(['api'], { ...env, METRICS_PORT: String(apiMetrics) });
  const controller = startService(['controller'], { ...env, METRICS_PORT: String(controllerMetrics) });
  services.push(api, controller);
  await Promise.all([api.says('ready'), controller.says('ready')]);
  return {
    ...{ api, controller, url: `${env.PUBLIC_URL}/api/v1/orgs/acme` },
    metrics: `http://127.0.0.1:${controllerMetrics}/metrics`,
  };
}

const newTraceparent = (flags = '01') =>
  `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-${flags}`;
const traceIdOf = (traceparent = '') => traceparent.split('-')[1] ?? '';

async function post(url: string, body: object, traceparent?: string): Promise<string> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      ...{ authorization: key.api_key, 'content-type': 'application/json', baggage: `user=${SECRETS.baggage}` },
      ...(traceparent !== undefined && { traceparent }),
    },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.clone().text()).toBe(202);
  return ((await answer.json()) as { id: string }).id;
}

const request = (site = `${publishers.url('blog')}?secret=${SECRETS.query}`) => ({
  campaign: { name: 'Spring' },
  screenshot_requests: [
    {
      ad: {
        name: 'A picture',
        media: {
          type: 'html_tag',
          content: `<img src="${publishers.cdn}/media/marlow.jpg" width="300" height="250" alt="">`,
        },
      },
      screenshots: [{ site: { url: site }, device: { name: 'desktop' } }],
    },
  ],
  subscribers: [{ webhook: { url: `${hooks.url}/${SECRETS.hook}?key=${SECRETS.hook}` } }],
});

const delivered = (id: string) => eventually(() => expect([...heard.keys()]).toContain(id), 250_000);
const spansOf = (traceparent: string) => collector.spans.filter(({ traceId }) => traceId === traceIdOf(traceparent));
const namesOf = (spans: readonly ReceivedSpan[]) => new Set(spans.map(({ name }) => name));
/** Spans whose parent is neither in the trace nor the client's. */
const orphansOf = (spans: readonly ReceivedSpan[], traceparent: string) => {
  const known = new Set([...spans.map(({ spanId }) => spanId), traceparent.split('-')[2]]);
  return spans.filter(({ parentId }) => !known.has(parentId)).map(({ name }) => name);
};

/** Waits for the spans with these names and for the parent of each. */
const completeSpansOf = (traceparent: string, names: string[]) =>
  eventually(() => {
    const spans = spansOf(traceparent);
    expect([...namesOf(spans)]).toEqual(expect.arrayContaining(names));
    expect(orphansOf(spans, traceparent)).toEqual([]);
    return spans;
  });

test('a request, its small set in the capture of another one, and its retake have a trace each over all processes', {
  timeout: 600_000,
}, async () => {
  const { api, controller, url } = traced;
  const traces = [newTraceparent(), newTraceparent(), newTraceparent()] as const;
  const ids = [await post(`${url}/screenshot_requests`, request(), traces[0])];
  ids.push(await post(`${url}/screenshot_requests`, request(), traces[1]));
  for (const id of ids) await delivered(id);
  ids.push(await post(`${url}/screenshot_sets/${ids[0]}/retake`, { which: 'all' }, traces[2]));
  await delivered(ids[2] ?? '');

  const all = ['wait for admission', 'create ScreenshotJob', 'start capture', 'page', 'find', 'picture', 'upload'];
  for (const [i, traceparent] of traces.entries()) {
    const spans = await completeSpansOf(traceparent, [...all, 'settle job', 'send screenshot_set.approved', 'POST']);
    const sent = spans.find(({ name }) => name === 'POST');
    expect(heard.get(ids[i] ?? '')).toBe(`00-${traceIdOf(traceparent)}-${sent?.spanId}-01`);
    expect(sent).toMatchObject({
      kind: 3,
      attributes: { 'http.response.status_code': 204, 'server.address': '127.0.0.1' },
    });
    expect(spans.filter(({ isError }) => isError)).toEqual([]);
  }
  const [first, second, third] = traces.map(spansOf);
  expect([...namesOf(first ?? [])]).toEqual(expect.arrayContaining([ROOT_SPAN, 'render', 'create Job']));
  const root = first?.find(({ name }) => name === ROOT_SPAN);
  expect(root).toMatchObject({ service: 'tearsheet-api', kind: 2, parentId: traces[0].split('-')[2] });
  expect(root?.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 202 });
  const hosted = second?.filter(({ name }) => name === 'start capture').map(({ attributes }) => attributes);
  expect(hosted).toEqual([expect.objectContaining({ 'tearsheet.hosted': true })]);
  const retake = third?.find(({ kind, name }) => kind === 2 && name.startsWith('POST '));
  expect(retake?.links).toEqual([traceIdOf(traces[0])]);

  const asked = api.lines().find(({ msg, status, method }) => msg === 'request' && status === 202 && method === 'POST');
  expect(asked).toMatchObject({ trace_id: traceIdOf(traces[0]), span_id: root?.spanId });
  const settled = controller.lines().filter(({ msg }) => msg === 'settled');
  expect(new Set(settled.map(({ trace_id }) => trace_id))).toEqual(new Set(traces.map(traceIdOf)));
});

test('the set has its picture, and the controller its metrics', async () => {
  const [id] = heard.keys();
  const answer = await fetch(`${traced.url}/screenshot_sets/${id}`, { headers: { authorization: key.api_key } });
  const { status, screenshots } = (await answer.json()) as { status: string; screenshots: { image_url: string }[] };
  expect(status).toBe('approved');
  const picture = await (await fetch(screenshots[0]?.image_url ?? '')).arrayBuffer();
  expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width: 1440, height: 900 });
  // A set is approved before the controller has counted its end.
  const text = await eventually(async () => {
    const scraped = await (await fetch(traced.metrics)).text();
    expect(scraped).toContain('tearsheet_screenshotjobs{reason="Completed"} 3');
    return scraped;
  });
  expect(text).toContain('tearsheet_leader 1');
  expect(text).toMatch(/tearsheet_reconciles_total\{outcome="done"\} [1-9]/);
  expect(text).toContain('tearsheet_waiting{kind="sets"} 0');
  expect(text).toContain('tearsheet_work_queue_depth{state="ready"}');
  expect(text).toMatch(/tearsheet_audit_timestamp_seconds 1\d+/);
});

test('a set whose capture was killed has one trace, and each span has its parent', { timeout: 600_000 }, async () => {
  const { controller, url } = traced;
  const traceparent = newTraceparent();
  gate.hold('site');
  const id = await post(
    `${url}/screenshot_requests`,
    request(gate.urlFor('site', publishers.url('blog'))),
    traceparent,
  );
  await gate.waitForRequest('site');
  await eventually(() => expect([...namesOf(spansOf(traceparent))]).toContain('render'));
  process.kill(captureOf(controller.pid), 'SIGKILL');
  await eventually(() => expect(controller.output()).toContain('a capture failed'));
  gate.release('site');
  await delivered(id);

  const spans = await completeSpansOf(traceparent, ['page', 'settle job', 'POST']);
  expect(spans.filter(({ name }) => name === 'start capture')).toHaveLength(2);
  const [page, ...others] = spans.filter(({ name }) => name === 'page');
  expect(others).toEqual([]);
  // It is below the start of the second capture.
  const starts = spans.filter(({ name }) => name === 'start capture').toSorted((a, b) => a.startMs - b.startMs);
  expect(page?.parentId).toBe(starts[1]?.spanId);
  expect(traceIdOf(heard.get(id))).toBe(traceIdOf(traceparent));
});

function captureOf(controller: number): number {
  const children = execFileSync('ps', ['--ppid', String(controller), '-o', 'pid=,args='])
    .toString()
    .split('\n');
  return Number(
    children
      .find((line) => line.endsWith(' capture'))
      ?.trim()
      .split(' ')[0],
  );
}

test('an invalid traceparent begins a new trace, and an unsampled one is passed on without spans', async () => {
  const { api, url } = traced;
  const before = api.lines().length;
  const invalid = newTraceparent().toUpperCase();
  const unsampled = newTraceparent('00');
  const headers = { authorization: key.api_key };
  const list = (traceparent: string) => fetch(`${url}/campaigns`, { headers: { ...headers, traceparent } });
  expect((await list(invalid)).status).toBe(200);
  expect((await list(unsampled)).status).toBe(200);
  // The connection is the same, and this request has no traceparent.
  expect((await fetch(`${url}/campaigns`, { headers })).status).toBe(200);
  const lists = () => collector.spans.filter(({ name }) => name === 'GET /api/v1/orgs/:slug/campaigns');
  await eventually(() => expect(lists().map(({ parentId }) => parentId)).toEqual(['', '']));
  const requests = api
    .lines()
    .slice(before)
    .filter(({ msg }) => msg === 'request');
  const traceIds = requests.map(({ trace_id }) => trace_id);
  expect(traceIds).toEqual([lists()[0]?.traceId, traceIdOf(unsampled), lists()[1]?.traceId]);
  expect(new Set(traceIds).size).toBe(3);
});

test('API and controller end with 0, and no export has a secret', async () => {
  expect(await stop()).toEqual([0, 0]);
  expect(collector.headers.every(({ authorization }) => authorization === 'Bearer collector-token')).toBe(true);
  const sentBytes = Buffer.concat(collector.bodies).toString('latin1');
  const secrets = [key.api_key, key.webhook_secret, ...Object.values(SECRETS), 'collector-token', '/media/marlow'];
  expect(secrets.filter((secret) => sentBytes.includes(secret))).toEqual([]);
});

/** A request that waited for its export would wait for longer than this test. */
test('a collector that never answers slows no request and no shutdown', async () => {
  const silent = await startOtlpReceiver();
  silent.mode = 'never answers';
  const { url } = await begin({
    OTEL_EXPORTER_OTLP_ENDPOINT: silent.url,
    OTEL_BSP_EXPORT_TIMEOUT: '600000',
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    OTEL_BSP_SCHEDULE_DELAY: '1',
  });
  const headers = { authorization: key.api_key };
  const list = () => fetch(`${url}/campaigns`, { headers, signal: AbortSignal.timeout(60_000) });
  expect((await list()).status).toBe(200);
  await eventually(() => expect(silent.bodies).toHaveLength(1));
  for (let i = 0; i < 50; i++) expect((await list()).status).toBe(200);
  // The spans of these requests wait, because the first export has not ended.
  expect(silent.bodies).toHaveLength(1);
  expect(await stop()).toEqual([0, 0]);
  await silent.close();
});
