/**
 * The whole service as the commands put it together, with captures that only play the protocol. All tests share one service, so their
 * order matters: the first one counts, and the last one drops the database.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openArtifacts } from '../../../src/artifacts/open.ts';
import { watchStore } from '../../../src/artifacts/storeCheck.ts';
import { freePort } from '../../../src/commands/dev/ports.ts';
import { type ApiService, startApiService } from '../../../src/commands/service/apiService.ts';
import type { ControllerService } from '../../../src/commands/service/controllerOptions.ts';
import { startLocalController } from '../../../src/commands/service/localController.ts';
import {
  createServiceContext,
  type ServiceContext,
  serveHealth,
} from '../../../src/commands/service/serviceContext.ts';
import { loadConfig } from '../../../src/config.ts';
import { createOrganization, type NewOrganization } from '../../../src/core/organizations/organizations.ts';
import type { Health } from '../../../src/observe/health.ts';
import { createMetrics } from '../../../src/observe/metrics.ts';
import { isTracing } from '../../../src/observe/tracing.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { type Listener, listenHttp } from '../../support/listeners.ts';
import { databaseUrl, runStatement } from '../../support/runStatement.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

const HOST = '127.0.0.1';
const CAPTURE = fileURLToPath(new URL('../../support/fakeCapture.ts', import.meta.url));

let folder: string;
let database: TestDatabase;
let base: ServiceContext;
let organization: NewOrganization;
let api: ApiService;
let work: ControllerService;
let health: Health;
let receiver: Listener;
/** The headers of each webhook. */
let received: IncomingHttpHeaders[];

beforeAll(async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:1');
  vi.stubEnv('OTEL_SDK_DISABLED', 'true');
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-service-'));
  database = await testDatabase();
  const internalPort = await freePort();
  base = await createServiceContext({
    config: {
      ...loadConfig({ LOG_LEVEL: 'fatal' }),
      DATABASE_URL: database.url,
      ARTIFACTS_URL: pathToFileURL(folder).href,
      PUBLIC_URL: 'https://tearsheet.example',
      INTERNAL_URL: `http://${HOST}:${internalPort}`,
      SECRETS_KEYS: TEST_KEY_RING,
    },
    name: 'test',
    worksQueues: true,
  });
  organization = await createOrganization(base.store.db, { slug: 'acme' });
  api = await startApiService(base, {
    host: HOST,
    port: 0,
    internalPort,
    rateLimited: false,
    egressAllow: [],
  });
  work = await startLocalController(base, {
    egress: { allow: ['127.0.0.0/8'] },
    parallelism: 2,
    captureCommand: [process.execPath, CAPTURE],
  });
  health = await serveHealth(base, { host: HOST, port: 0, everyMs: 100 });
  receiver = await listenHttp((request, response) => {
    received.push(request.headers);
    response.writeHead(204).end();
  });
});

beforeEach(() => {
  received = [];
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await work.stop(1_000);
  await api.publicServer.close(0);
  await api.internalServer.close(0);
  await health.close();
  await base.close();
  await receiver.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const metrics = async () => (await fetch(`${health.url}/metrics`)).text();

const call = (name: string, init: RequestInit = {}) =>
  fetch(`http://${HOST}:${api.publicServer.port}/api/v1/orgs/acme/${name}`, {
    ...init,
    headers: { authorization: organization.api_key, 'content-type': 'application/json', ...init.headers },
  });

async function ask(contents: readonly string[], headers: Record<string, string> = {}): Promise<string> {
  const response = await call('screenshot_requests', {
    method: 'POST',
    headers,
    body: JSON.stringify({
      campaign: { name: 'Spring' },
      screenshot_requests: contents.map((content) => ({
        ad: { name: content, media: { type: 'html_tag', content } },
        screenshots: [{ site: { url: 'https://news.example/' }, device: { name: 'desktop' } }],
      })),
      subscribers: [{ webhook: { url: receiver.url } }],
    }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { id: string }).id;
}

test('metrics show requests, queues, screenshots, phases and deliveries', async () => {
  await ask(['fine', 'fail']);
  await eventually(async () =>
    expect(await metrics()).toContain('tearsheet_deliveries_total{channel="webhook",outcome="delivered"} 1'),
  );
  const text = await metrics();
  const route = 'route="/api/v1/orgs/:slug/screenshot_requests",method="POST"';
  expect(text).toContain(`tearsheet_requests_total{${route},status="202"} 1`);
  expect(text).toContain(`tearsheet_request_duration_seconds_count{${route}} 1`);
  expect(text).toContain('tearsheet_captures_total{status="uploaded"} 1');
  expect(text).toContain('tearsheet_captures_total{status="ad_not_captured"} 1');
  expect(text).toContain('tearsheet_capture_phase_seconds_count{phase="creative"} 2');
  expect(text).toContain('tearsheet_deliveries_total{channel="webhook",outcome="delivered"} 1');
  expect(text).toContain('tearsheet_delivery_attempts_total{channel="webhook",outcome="delivered"} 1');
  for (const queue of ['launch', 'deliver']) {
    expect(text).toContain(`tearsheet_queue_depth{queue="${queue}"}`);
    expect(text).toContain(`tearsheet_queue_oldest_seconds{queue="${queue}"}`);
  }
});

test('screenshots that no capture reports are counted when they are resolved', async () => {
  const setId = await ask(['hang']);
  await eventually(async () =>
    expect(await (await call(`screenshot_sets/${setId}`)).json()).toMatchObject({ status: 'capturing' }),
  );
  expect((await call(`screenshot_sets/${setId}/cancel`, { method: 'POST' })).status).toBe(200);
  await eventually(async () => expect(await metrics()).toContain('tearsheet_captures_total{status="canceled"} 1'));
});

test('with a disabled SDK of OpenTelemetry, a traceparent is neither stored nor passed on', async () => {
  await ask(['fine'], { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
  await eventually(() => expect(received).toHaveLength(1));
  expect(received[0]).not.toHaveProperty('traceparent');
  expect(isTracing()).toBe(false);
  for (const table of ['screenshot_sets', 'ads', 'screenshot_jobs', 'events'] as const)
    expect(await base.store.db.selectFrom(table).select('traceparent').distinct().execute()).toEqual([
      { traceparent: null },
    ]);
});

test('a process is not ready when another or an empty database answers, and says what to do', async () => {
  const ready = async () => {
    const answer = await fetch(`${health.url}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };
  const run = (statement: string) => base.store.pool.query(statement);
  const exchanged = { status: 503, text: expect.stringContaining('database: not the database that') };
  const { id } = base.installation;
  await run('update installation set id = gen_random_uuid()');
  await eventually(async () => expect(await ready()).toEqual(exchanged));
  await run(`update installation set id = '${id}'`);
  await eventually(async () => expect(await ready()).toMatchObject({ status: 200 }));
  await run('alter table installation rename to other');
  await eventually(async () => expect(await ready()).toEqual(exchanged));
  await run('alter table other rename to installation');
  await eventually(async () => expect(await ready()).toMatchObject({ status: 200 }));
});

test('a process whose artifact store has never accepted a file is not ready, and says why', async () => {
  const { check: checkArtifacts } = watchStore(openArtifacts('file:///dev/null/pictures'));
  const broken = await serveHealth({ ...base, checkArtifacts, metrics: createMetrics() }, { host: HOST, port: 0 });
  const answer = await fetch(`${broken.url}/readyz`);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([503, expect.stringContaining('database: ok\n')]);
  expect(text).toMatch(/artifacts: the artifact store does not accept files: .*ENOTDIR/);
  expect((await fetch(`${health.url}/readyz`)).status).toBe(200);
  await broken.close();
});

test('a process that loses its database stays ready, and /readyz and a gauge say what is away', async () => {
  expect(await metrics()).toContain('tearsheet_dependency_available{dependency="database"} 1');
  // `database.close` would wait 20 s for the connections of the process.
  await runStatement(databaseUrl(database.url, 'postgres'), `drop database ${nameOf(database.url)} with (force)`);
  await eventually(async () =>
    expect(await metrics()).toContain('tearsheet_dependency_available{dependency="database"} 0'),
  );
  const answer = await fetch(`${health.url}/readyz`);
  expect([answer.status, await answer.text()]).toEqual([200, expect.not.stringContaining('database: ok')]);
  expect(await metrics()).toContain('tearsheet_ready 1');
});
