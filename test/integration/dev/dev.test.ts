/** `tearsheet dev` as its user meets it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DevReady } from '../../../src/commands/dev/dev.ts';
import { eventually } from '../../support/eventually.ts';
import { runCommand } from '../../support/runCommand.ts';
import { zipOf } from '../../support/zips.ts';
import { closeBrowser, follow, openPage } from '../pages/browser.ts';
import { DevEnvironment } from './devEnvironment.ts';
import { startDev } from './devProcess.ts';
import { createServiceFolders, readProc } from './serviceFolders.ts';

let env: DevEnvironment;
let ready: DevReady;

beforeAll(async () => {
  env = await DevEnvironment.create();
  ready = await env.start();
});

afterAll(async () => {
  await closeBrowser();
  await env?.close();
});

const onDev = (...args: string[]) => runCommand([...args, '--data', env.folders.data]);

/** @returns the status of a read with this key. */
async function answerTo(key: string, organization = ready.organization): Promise<number> {
  const response = await fetch(`${ready.url}/api/v1/orgs/${organization}/campaigns`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(60_000),
  });
  await response.text();
  return response.status;
}

const CAPTURE_MS = 240_000;

it('a person with only a browser signs in, adds a creative, and gets a picture without a reload', {
  timeout: 900_000,
}, async () => {
  const { page, faults } = await openPage();
  const { url, organization, api_key } = env.ready;
  await page.goto(`${url}/o/${organization}/new`);
  await page.getByLabel('API key').fill(api_key);
  await follow(page.getByRole('button', { name: 'Sign in' }));
  // Fills any frame, so only the name of the zip tells its size.
  const green = '<!doctype html><style>html,body{margin:0;height:100%;background:#0a0}</style>';
  const buffer = await zipOf({ 'index.html': green });
  await page.getByLabel('Files').setInputFiles({ name: 'green_300x250.zip', mimeType: 'application/zip', buffer });
  await page.getByLabel('Sites', { exact: true }).fill(env.publishers.url('blog'));
  await page.getByRole('combobox', { name: 'Campaign' }).fill('First');
  const preview = page.getByRole('img', { name: 'Preview of green_300x250.zip' });
  await preview.waitFor({ timeout: CAPTURE_MS });
  await preview.evaluate((image) => (image as HTMLImageElement).decode());
  expect(await page.locator('#count').innerText()).toContain('1 picture');
  await follow(page.getByRole('button', { name: 'Request pictures' }));
  expect(page.url()).toContain('/screenshot_sets/');
  await page.locator('#main .frame img').first().waitFor({ timeout: CAPTURE_MS });
  const { data } = await env.call<{ data: { name: string }[] }>('GET', '/campaigns');
  expect(data.map(({ name }) => name).sort()).toEqual(['Drafts', 'First']);
  expect(faults).toEqual([]);
});

describe('the JSON line of tearsheet dev', () => {
  it('the JSON line has URLs that answer, the organization, its key and its secret', async () => {
    expect(ready).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      organization: 'demo',
      api_key: expect.stringMatching(/^ts_live_\w{8}_[\w-]{43}$/),
      webhook_secret: expect.stringMatching(/^whsec_/),
      metrics_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/),
      database_url: expect.stringMatching(/^postgres:\/\/postgres:[^@]+@127\.0\.0\.1:\d+\/tearsheet$/),
      secrets_keys: expect.stringMatching(/^dev:/),
      sign_in_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\/[\w-]{43}$/),
      sample_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      sample_ad_url: `${ready.sample_url}banner.html`,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(await answerTo(ready.api_key)).toBe(200);
    for (const address of [ready.metrics_url, `${ready.url}/docs`, new URL('/readyz', ready.metrics_url).href])
      expect((await fetch(address, { signal: AbortSignal.timeout(60_000) })).status).toBe(200);
  });

  it('standard output has the JSON line and nothing else', async () => {
    expect(await answerTo(ready.api_key)).toBe(200);
    await eventually(() => expect(env.service.output()).toContain('"msg":"request"'));
    expect(env.service.output()).toContain('"level":"info"');
    expect(env.service.stdout().trim().split('\n')).toEqual([JSON.stringify(ready)]);
  });
});

describe('an operator beside tearsheet dev', () => {
  it('runs commands with its folder, and needs no key and no address', async () => {
    const created = await onDev('org', 'create', 'beside', '--json');
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(await answerTo(JSON.parse(created.stdout).api_key, 'beside')).toBe(200);
    expect((await onDev('user', 'list', 'demo')).stdout).toContain('sam@example.com  owner  Sam Sample');
    expect((await onDev('key', 'list', 'beside')).stdout).toContain('live');
    expect(await onDev('org', 'set', 'beside')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('choose at'),
    });
    expect(await onDev('org', 'delete', 'beside', '--confirm', 'beside')).toMatchObject({ code: 0, stderr: '' });
  });

  it('gets an error that says that none runs on the folder', async () => {
    const { code, stderr } = await runCommand(['org', 'list', '--data', env.folders.temporary]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`dev is running on ${env.folders.temporary}`)]);
  });
});

describe('secrets of tearsheet dev', () => {
  it('captures get no database URL and no key', async () => {
    env.requestGate.hold('tag');
    const source = env.requestGate.urlFor('tag', `${env.publishers.cdn}/media/marlow.jpg`);
    const media = { type: 'html_tag', content: `<img src="${source}" width="300" height="250" alt="">` };
    const screenshots = [{ site: { url: env.publishers.url('blog') }, device: { name: 'desktop' } }];
    const { id } = await env.call<{ id: string }>('POST', '/screenshot_requests', {
      campaign: { name: 'environments' },
      screenshot_requests: [{ ad: { name: 'A tag', media }, screenshots }],
      subscribers: [{ webhook: { url: env.receiver.url } }],
    });
    await env.requestGate.waitForRequest('tag');
    const captures = env.folders.processes().filter(({ kind }) => kind === 'capture' || kind.endsWith('browser'));
    const environments = captures.map(({ pid }) => readProc(pid, 'environ'));
    env.requestGate.release('tag');
    expect(environments.some((environment) => environment.includes('TEARSHEET_TOKEN='))).toBe(true);
    expect(captures.map(({ kind }) => kind)).toContain('creatives browser');
    const password = new URL(ready.database_url).password;
    for (const secret of ['DATABASE_URL', 'postgres:', password, ready.api_key, ready.webhook_secret])
      for (const environment of environments) expect(environment).not.toContain(secret);
    await eventually(() => expect(env.receiver.accepted('screenshot_set.approved', id)).not.toEqual([]), 250_000);
  });

  it('the log has no key, secret, password, token or picture URL', async () => {
    const images = await env.rows<{ token: string }>('select token from images');
    expect(images).not.toHaveLength(0);
    // The subscriber of the test before has its delivery, but the service may not have logged it yet.
    await eventually(() => expect(env.service.output()).toContain('delivery attempted'));
    const log = env.service
      .output()
      .split('\n')
      .filter((line) => !line.startsWith('{"url":'))
      .join('\n');
    expect(log).not.toMatch(/ts_live_\w{8}_[\w-]{43}/);
    const secrets = [ready.webhook_secret, new URL(ready.database_url).password, ...images.map(({ token }) => token)];
    for (const secret of secrets) expect(log).not.toContain(secret);
    expect(log).not.toMatch(/eyJ[\w-]+\.|[?&](?:s|sig|token)=(?!\[redacted)/);
  });
});

describe('a second tearsheet dev', () => {
  const folders = createServiceFolders();
  afterAll(() => folders.remove());

  it('a second start on the same folder is refused, and the first one continues', async () => {
    const second = startDev(env.folders);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output().trim().split('\n')).toEqual([
      `tearsheet: Another tearsheet dev uses ${env.folders.data}. Stop it, or use another folder with --data DIR.`,
    ]);
    expect(await answerTo(ready.api_key)).toBe(200);
  });

  it('a start on a port in use is refused and leaves nothing behind', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const second = startDev(folders, { port });
    expect(await second.ended).toEqual({ code: 1, signal: null });
    taken.close();
    expect(second.output().trim().split('\n')).toEqual([
      `tearsheet: Port ${port} for the public API is in use. Stop the process that uses it, or choose another port with --port.`,
    ]);
    await folders.expectNoProcesses();
  });
});

describe('the end and the next start', () => {
  it('SIGTERM exits with 0, and the next start has the same key and the rotated secret', async () => {
    const rotated = await onDev('org', 'rotate-webhook-secret', 'demo', '--json');
    const { webhook_secret } = JSON.parse(rotated.stdout) as DevReady;
    expect(webhook_secret).not.toBe(ready.webhook_secret);
    expect(await env.service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await env.folders.expectNoProcesses();
    const again = await env.start();
    expect(again).toMatchObject({ organization: 'demo', api_key: ready.api_key, webhook_secret });
    expect(await env.service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await env.folders.expectNoProcesses();
  });
});
