/** `tearsheet api` and `tearsheet controller` as two processes on one database: from a request to its picture. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../src/commands/dev/embeddedPostgres.ts';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { openStore } from '../../../src/db/database.ts';
import { type Publishers, startPublishers } from '../../fixtures/publisherServer.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { type Listener, listenHttp } from '../../support/listeners.ts';
import { type ServiceProcess, startService } from '../../support/serviceProcess.ts';
import { TEST_KEY_RING, TEST_KEYS } from '../../support/testKeys.ts';

let folder: string;
let database: TestDatabase;
let publishers: Publishers;
let receiver: Listener;
let services: ServiceProcess[];
const heard: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-processes-'));
  database = await testDatabase();
  publishers = await startPublishers();
  services = [];
  heard.length = 0;
  receiver = await listenHttp((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      heard.push(String((JSON.parse(body) as { topic: unknown }).topic));
      response.writeHead(204).end();
    });
  });
});

afterEach(async () => {
  for (const service of services) service.kill('SIGTERM');
  await Promise.all(services.map(({ ended }) => ended));
  await receiver.close();
  await publishers.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function begin() {
  const [port, internalPort, apiMetrics, controllerMetrics] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const env = {
    DATABASE_URL: database.url,
    SECRETS_KEYS: TEST_KEYS,
    ARTIFACTS_URL: pathToFileURL(path.join(folder, 'pictures')).href,
    HOST: '127.0.0.1',
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    INTERNAL_URL: `http://127.0.0.1:${internalPort}`,
    EGRESS_ALLOW: '127.0.0.0/8',
    CAPTURE_PARALLELISM: '1',
    TMPDIR: folder,
  };
  const api = startService(['api'], { ...env, METRICS_PORT: String(apiMetrics) });
  const controller = startService(['controller'], { ...env, METRICS_PORT: String(controllerMetrics) });
  services.push(api, controller);
  await Promise.all([api.says('ready'), controller.says('ready')]);
  return { api, controller, url: env.PUBLIC_URL, metrics: `http://127.0.0.1:${controllerMetrics}` };
}

test('a controller with an invalid capture profile names the fault and exits with 2', async () => {
  const env = {
    ...{
      DATABASE_URL: database.url,
      SECRETS_KEYS: TEST_KEYS,
      ARTIFACTS_URL: pathToFileURL(folder).href,
      NAMESPACE: 'n',
    },
    ...{ PUBLIC_URL: 'http://127.0.0.1:1', INTERNAL_URL: 'http://127.0.0.1:1' },
  };
  const profile = path.join(folder, 'profile.json');
  await writeFile(profile, '{"image":"","serviceAccountName":"capture","nodeselector":{}}');
  const faulty = startService(['controller'], { ...env, CAPTURE_PROFILE: profile });
  expect(await faulty.ended).toBe(2);
  expect(faulty.output()).toMatch(/profile\.json is invalid:\n {2}image: .*\n.*nodeselector/);
});

test('a request becomes a picture and an event, and both processes exit with 0 on SIGTERM', {
  timeout: 600_000,
}, async () => {
  const store = openStore({ url: database.url, maxConnections: 1, keyRing: TEST_KEY_RING });
  const { api_key } = await createOrganization(store.db, { slug: 'acme' });
  await store.close();
  const { api, controller, url, metrics } = await begin();
  const headers = { authorization: api_key, 'content-type': 'application/json' };
  const tag = `<img src="${publishers.cdn}/media/marlow.jpg" width="300" height="250" alt="">`;
  const asked = await fetch(`${url}/api/v1/orgs/acme/screenshot_requests`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      campaign: { name: 'Spring' },
      screenshot_requests: [
        {
          ad: { name: 'A picture', media: { type: 'html_tag', content: tag } },
          screenshots: [{ site: { url: publishers.url('blog') }, device: { name: 'desktop' } }],
        },
      ],
      subscribers: [{ webhook: { url: receiver.url } }],
    }),
  });
  expect(asked.status).toBe(202);
  const { id } = (await asked.json()) as { id: string };
  const set = await eventually(async () => {
    const answer = await fetch(`${url}/api/v1/orgs/acme/screenshot_sets/${id}`, { headers });
    const found = (await answer.json()) as { status: string; screenshots: { image_url: string; status: string }[] };
    expect(found.status).toBe('approved');
    return found;
  }, 300_000);
  const picture = Buffer.from(await (await fetch(set.screenshots[0]?.image_url ?? '')).arrayBuffer());
  expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width: 1440, height: 900 });
  await eventually(() => expect(heard).toEqual(['screenshot_set.approved']));
  // The set is approved before the controller has counted its end.
  const text = await eventually(async () => {
    const scraped = await (await fetch(`${metrics}/metrics`)).text();
    expect(scraped).toContain('tearsheet_screenshotjobs{reason="Completed"} 1');
    return scraped;
  });
  expect(text).toContain('tearsheet_leader 1');
  expect(text).toMatch(/tearsheet_reconciles_total\{outcome="done"\} [1-9]/);
  expect(text).toContain('tearsheet_waiting{kind="sets"} 0');
  expect(text).toContain('tearsheet_work_queue_depth{state="ready"}');
  expect(text).toMatch(/tearsheet_audit_timestamp_seconds 1\d+/);
  for (const service of services) service.kill('SIGTERM');
  expect(await Promise.all([api.ended, controller.ended])).toEqual([0, 0]);
});
