/** Builds the packages of the clients, installs them, checks their types, and runs docs/quick-start.md against the API. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPublicApi } from '../../src/api/public/app.ts';
import { type Deliveries, startDeliveries } from '../../src/commands/service/startDeliveries.ts';
import { readInstallation } from '../../src/core/jobs/installation.ts';
import { createOrganization, type NewOrganization } from '../../src/core/organizations/organizations.ts';
import { DEFAULT_LIMITS } from '../../src/domain/limits.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../src/domain/uploads.ts';
import { createGuard } from '../../src/egress/guard.ts';
import { PNG } from '../support/captureClient.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { startListener } from '../support/listeners.ts';
import { type LocalInstallation, startLocalInstallation } from '../support/localInstallation.ts';
import { PYTHON_TOOLS_MS, pythonTools } from '../support/pythonTools.ts';
import { TEST_LOG } from '../support/testLog.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhookReceiver.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const TEXT = readFileSync(path.join(ROOT, 'docs/quick-start.md'), 'utf8');
const REPOSITORY = 'https://github.com/acme/tearsheet';
/** Longer than one package takes to build and install, or one sample to run. */
const STEP_MS = 10 * 60_000;
const run = promisify(execFile);

let database: TestDatabase;
let installation: LocalInstallation;
let deliveries: Deliveries | undefined;
let listener: { url: string; close(): Promise<void> };
let organization: NewOrganization;
let receiver: WebhookReceiver;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-clients-'));
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

/** @returns the paths of the packages that a release publishes. */
async function pack(registry: 'npm' | 'pypi'): Promise<string[]> {
  const out = path.join(folder, 'packages');
  const args = ['scripts/packClients.ts', registry, '--repository', REPOSITORY, '--out', out];
  await run(process.execPath, args, { cwd: ROOT, timeout: STEP_MS });
  return readdirSync(path.join(out, registry)).map((name) => path.join(out, registry, name));
}

/** Writes the sample of one language into the folder. */
function writeSample(language: string, file: string): void {
  const sample = new RegExp(`\n\`\`\`${language}\n(.*?)\n\`\`\`\n`, 's').exec(TEXT)?.[1];
  if (sample === undefined) throw new Error(`docs/quick-start.md has no sample in ${language}.`);
  writeFileSync(path.join(folder, file), sample);
}

/** Runs a sample, which ends with an approved set and its picture. @returns its output. */
async function runSample(program: string, file: string, pythonPath = ''): Promise<string> {
  rmSync(path.join(folder, 'screenshot.png'), { force: true });
  const env = {
    PATH: process.env['PATH'],
    PYTHONPATH: pythonPath,
    PYTHONDONTWRITEBYTECODE: '1',
    TEARSHEET_URL: listener.url,
    TEARSHEET_ORG: organization.organization,
    TEARSHEET_ADMIN_KEY: organization.api_key,
    TEARSHEET_WEBHOOK_SECRET: organization.webhook_secret,
    SITE_URL: 'https://news.example/',
    HOOK_URL: receiver.url,
  };
  const { stdout } = await run(program, [file], { cwd: folder, env, timeout: STEP_MS });
  expect(stdout).toMatch(/^[\w-]{36} is approved$/m);
  expect(readFileSync(path.join(folder, 'screenshot.png')).equals(PNG)).toBe(true);
  return stdout;
}

test('the quick start in curl ends with a picture and a webhook', { timeout: STEP_MS }, async () => {
  writeSample('sh', 'quick-start.sh');
  const output = await runSample('sh', 'quick-start.sh');
  const [, id = ''] = /"screenshot_set_id":"([\w-]{36})"/.exec(output) ?? [];
  await receiver.asked('screenshot_set.approved', id);
});

test('the TypeScript client is built, installed, has types and runs the quick start', {
  timeout: 4 * STEP_MS,
}, async () => {
  const [file = ''] = await pack('npm');
  const { stdout } = await run('tar', ['tzf', file]);
  for (const name of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/generated/operations.d.ts'])
    expect(stdout).toContain(`package/${name}\n`);
  const manifest = await run('tar', ['xzOf', file, 'package/package.json']);
  expect(JSON.parse(manifest.stdout)).toMatchObject({ homepage: `${REPOSITORY}#readme` });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "private": true }');
  // The registry is not asked, because the package has no dependencies.
  const quiet = ['--offline', '--no-audit', '--no-fund', '--cache', path.join(folder, '.npm')];
  await run('npm', ['install', ...quiet, file], { cwd: folder, timeout: STEP_MS });
  writeSample('ts', 'quick-start.ts');
  const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules/@types'), 'quick-start.ts'];
  const options = ['--strict', '--noEmit', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable'];
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const) {
    const modules = ['--module', module, '--moduleResolution', resolution];
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, ...options, ...modules, ...types], { cwd: folder, timeout: STEP_MS });
  }
  expect(await runSample(process.execPath, 'quick-start.ts')).toContain('received screenshot_set.approved');
});

test('the Python client is built, installed, has types, passes its tests and runs the quick start', {
  timeout: PYTHON_TOOLS_MS + 4 * STEP_MS,
}, async ({ skip }) => {
  const tools = await pythonTools(skip);
  const [wheel = ''] = await pack('pypi');
  const installed = path.join(folder, 'python');
  const quiet = ['--quiet', '--no-input', '--no-index', '--no-deps', '--disable-pip-version-check'];
  await run('python3', ['-m', 'pip', 'install', ...quiet, '--target', installed, wheel], { timeout: STEP_MS });
  const pythonPath = `${installed}:${tools}`;
  writeSample('python', 'quick_start.py');
  mkdirSync(path.join(folder, 'tests'));
  copyFileSync(path.join(import.meta.dirname, 'test_client.py'), path.join(folder, 'tests/test_client.py'));
  const python = (...args: string[]) =>
    run('python3', ['-m', ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PYTHONPATH: pythonPath, MYPYPATH: installed, PYTHONDONTWRITEBYTECODE: '1' },
      timeout: STEP_MS,
    });
  await python('mypy', '--strict', '--python-version', '3.11', '-p', 'tearsheet_client');
  // A generated function returns None only where the service answers without a body.
  await python('mypy', '--check-untyped-defs', '--no-strict-optional', '--python-version', '3.11', 'quick_start.py');
  const { stderr } = await python('unittest', 'tests.test_client');
  expect(stderr).toMatch(/Ran \d+ tests/);
  expect(await runSample('python3', 'quick_start.py', pythonPath)).toContain('received screenshot_set.approved');
});
