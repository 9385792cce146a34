/** Runs the samples of docs/quick-start.md against the API, with fake captures and real deliveries. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPublicApi } from '../../../src/api/public/app.ts';
import { type Deliveries, startDeliveries } from '../../../src/delivery/deliveries.ts';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../../src/domain/uploads.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { readInstallation } from '../../../src/store/installation/installation.ts';
import { createOrganization, type NewOrganization } from '../../../src/store/organizations/organizations.ts';
import { PNG } from '../../support/captureClient.ts';
import { CLIENT_PACKAGE_MS, installPythonClient, installTypeScriptClient } from '../../support/clientPackages.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { startListener } from '../../support/listeners.ts';
import { type LocalInstallation, startLocalInstallation } from '../../support/localInstallation.ts';
import { TEST_LOG } from '../../support/testLog.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhookReceiver.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const TEXT = readFileSync(path.join(ROOT, 'docs/quick-start.md'), 'utf8');
const run = promisify(execFile);

let database: TestDatabase;
let installation: LocalInstallation;
let deliveries: Deliveries | undefined;
let listener: { url: string; close(): Promise<void> };
let organization: NewOrganization;
let receiver: WebhookReceiver;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-quick-start-'));
  writeFileSync(path.join(folder, 'banner.png'), PNG);
  database = await testDatabase();
  // The controller needs the address of the API, so the server listens before the API exists.
  const server = createServer();
  listener = await startListener(server);
  const publicUrl = listener.url;
  installation = await startLocalInstallation({ databaseUrl: database.url, settings: { publicUrl } });
  const { store, queue, artifacts } = installation;
  organization = await createOrganization(store.db, { slug: 'acme' });
  const { secret } = await readInstallation(store.db);
  const guard = createGuard({ allow: ['127.0.0.0/8', '::1/128'] });
  const limits = { limits: DEFAULT_LIMITS, uploadLimits: DEFAULT_UPLOAD_LIMITS };
  server.on(
    'request',
    createPublicApi({ ...{ store, queue, artifacts, secret, publicUrl, guard, log: TEST_LOG }, ...limits }),
  );
  deliveries = await startDeliveries({ store, queue, artifacts, guard, log: TEST_LOG });
  receiver = await startWebhookReceiver(() => organization.webhook_secret);
}, 900_000);

afterAll(async () => {
  await deliveries?.stop(0);
  await receiver?.close();
  await listener?.close();
  await installation?.close();
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the sample of one language in the folder. @returns its output. */
async function runSample(language: string, file: string, program: string): Promise<string> {
  const sample = new RegExp(`\n\`\`\`${language}\n(.*?)\n\`\`\`\n`, 's').exec(TEXT)?.[1];
  if (sample === undefined) throw new Error(`docs/quick-start.md has no sample in ${language}.`);
  writeFileSync(path.join(folder, file), sample);
  rmSync(path.join(folder, 'screenshot.png'), { force: true });
  const env = {
    PATH: process.env['PATH'],
    PYTHONPATH: path.join(folder, 'python'),
    PYTHONDONTWRITEBYTECODE: '1',
    TEARSHEET_URL: listener.url,
    TEARSHEET_ORG: organization.organization,
    TEARSHEET_ADMIN_KEY: organization.api_key,
    TEARSHEET_WEBHOOK_SECRET: organization.webhook_secret,
    SITE_URL: 'https://news.example/',
    HOOK_URL: receiver.url,
  };
  const { stdout } = await run(program, [file], { cwd: folder, env, timeout: 240_000 });
  return stdout;
}

/** @returns the id of the set that the sample reports as approved. */
function approvedSet(output: string): string {
  const [, id] = /^([\w-]{36}) is approved$/m.exec(output) ?? [];
  if (id === undefined) throw new Error(`The sample reports no approved set: ${output}`);
  expect(existsSync(path.join(folder, 'screenshot.png'))).toBe(true);
  expect(readFileSync(path.join(folder, 'screenshot.png')).equals(PNG)).toBe(true);
  return id;
}

test('the quick start in curl ends with a picture and a webhook', { timeout: 600_000 }, async () => {
  const output = await runSample('sh', 'quick-start.sh', 'sh');
  const id = approvedSet(output);
  expect(output).toContain(`"screenshot_set_id":"${id}"`);
  await receiver.asked('screenshot_set.approved', id);
});

test('the quick start in TypeScript ends with a picture and a webhook', {
  timeout: 600_000 + CLIENT_PACKAGE_MS,
}, async () => {
  await installTypeScriptClient(folder);
  const output = await runSample('ts', 'quick-start.ts', process.execPath);
  approvedSet(output);
  expect(output).toContain('received screenshot_set.approved');
});

/** CI has Python. */
const hasPython = process.env['CI'] !== undefined || spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)(
  'the quick start in Python ends with a picture and a webhook',
  { timeout: 600_000 + CLIENT_PACKAGE_MS },
  async () => {
    await installPythonClient(folder);
    const output = await runSample('python', 'quick_start.py', 'python3');
    approvedSet(output);
    expect(output).toContain('received screenshot_set.approved');
  },
);
