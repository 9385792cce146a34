/** `tearsheet dev` as its user meets it, and the operator's commands on its database. */
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DevReady } from '../../../src/commands/dev/dev.ts';
import { eventually } from '../../support/eventually.ts';
import { linkOf, startMailServer } from '../../support/mailServer.ts';
import { DevEnvironment } from './devEnvironment.ts';
import { run, startDev } from './devProcess.ts';
import { expectFinished, postRequests } from './postRequests.ts';
import { createServiceFolders, kill, readProc, type ServiceFolders } from './serviceFolders.ts';

let env: DevEnvironment;
let ready: DevReady;

beforeAll(async () => {
  env = await DevEnvironment.create();
  ready = await env.start();
});

afterAll(() => env?.close());

const operator = () => ({ DATABASE_URL: ready.database_url, SECRETS_KEYS: ready.secrets_keys ?? '' });
const cli = (...args: string[]) => run(args, operator());

/** @returns the status of a read with this key. */
async function answerTo(key: string, organization = ready.organization): Promise<number> {
  const response = await fetch(`${ready.url}/api/v1/orgs/${organization}/campaigns`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(60_000),
  });
  await response.text();
  return response.status;
}

async function oneRow(sql: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: ready.database_url });
  await client.connect();
  try {
    return (await client.query(sql)).rows[0] as Record<string, unknown>;
  } finally {
    await client.end();
  }
}

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
});

describe('answers of tearsheet dev', () => {
  const encodingOf = async (path: string, accepted = 'gzip') => {
    const headers = { 'accept-encoding': accepted };
    const response = await fetch(`${ready.url}${path}`, { headers, signal: AbortSignal.timeout(60_000) });
    expect((await response.text()).slice(0, 15)).toMatch(/^(<!doctype html>|\{\n {2}"openapi")/);
    return response.headers.get('content-encoding');
  };

  it('pages and JSON are compressed for those that accept it', async () => {
    expect(await encodingOf('/')).toBe('gzip');
    expect(await encodingOf('/openapi.json')).toBe('gzip');
    expect(await encodingOf('/', 'identity')).toBeNull();
  });
});

describe('an operator beside tearsheet dev', () => {
  it('runs commands with its folder, and needs no key and no address', async () => {
    const onDev = (...args: string[]) => run([...args, '--data', env.folders.data]);
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
    const { code, stderr } = await run(['org', 'list', '--data', env.folders.temporary]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`dev is running on ${env.folders.temporary}`)]);
  });
});

describe('secrets of tearsheet dev', () => {
  it('captures get no database URL and no key', async () => {
    const asked = await postRequests(env, 'environments', ['tag']);
    await env.requestGate.waitForRequest(asked.gate('tag'));
    const captures = env.folders.processes().filter(({ kind }) => kind === 'capture' || kind.endsWith('browser'));
    const environments = captures.map(({ pid }) => readProc(pid, 'environ'));
    env.requestGate.release(asked.gate('tag'));
    expect(environments.some((environment) => environment.includes('TEARSHEET_TOKEN='))).toBe(true);
    const password = new URL(ready.database_url).password;
    for (const secret of ['DATABASE_URL', 'postgres:', password, ready.api_key, ready.webhook_secret])
      for (const environment of environments) expect(environment).not.toContain(secret);
    await expectFinished(env, asked);
  });

  it('the log has no key, secret, password, token or picture URL', async () => {
    const images = await env.rows<{ token: string }>('select token from images');
    expect(images).not.toHaveLength(0);
    const log = env.service
      .output()
      .split('\n')
      .filter((line) => !line.startsWith('{"url":'))
      .join('\n');
    expect(log).toContain('delivery attempted');
    expect(log).not.toMatch(/ts_live_\w{8}_[\w-]{43}/);
    const secrets = [ready.webhook_secret, new URL(ready.database_url).password, ...images.map(({ token }) => token)];
    for (const secret of secrets) expect(log).not.toContain(secret);
    expect(log).not.toMatch(/eyJ[\w-]+\.|[?&](?:s|sig|token)=(?!\[redacted)/);
  });
});

describe('a second tearsheet dev', () => {
  const folderSets: ServiceFolders[] = [];
  const newFolders = () => {
    const folders = createServiceFolders();
    folderSets.push(folders);
    return folders;
  };
  afterAll(async () => {
    for (const folders of folderSets) await folders.remove();
  });

  it('a second start on the same folder is refused, and the first one continues', async () => {
    const second = startDev(env.folders);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output().trim().split('\n')).toEqual([
      `tearsheet: Another tearsheet dev uses ${env.folders.data}. Stop it, or use another folder with --data DIR.`,
    ]);
    expect(await answerTo(ready.api_key)).toBe(200);
  });

  it('a second start on another folder runs with its own keys', async () => {
    const folders = newFolders();
    const second = startDev(folders);
    const other = await second.ready;
    expect(await answerTo(other.api_key)).toBe(401);
    expect(await answerTo(ready.api_key)).toBe(200);
    expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await folders.expectNoProcesses();
  });

  it('a start on a port in use is refused and leaves nothing behind', async () => {
    const folders = newFolders();
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

describe('a start', () => {
  it('a start that gets SIGTERM before it is ready leaves nothing behind', async () => {
    const folders = createServiceFolders();
    const service = startDev(folders);
    try {
      await eventually(() => expect(folders.processes().some(({ kind }) => kind === 'postgres')).toBe(true));
      expect((await service.end('SIGTERM')).signal).toBeNull();
      await folders.expectNoProcesses();
    } finally {
      await folders.remove();
    }
  });
});

describe('a first start', () => {
  it('a start after one that was killed during initialisation creates the database', async () => {
    const folders = createServiceFolders();
    try {
      const killed = startDev(folders);
      await eventually(() => {
        const databaseFolders = readdirSync(folders.data).filter((name) => name.startsWith('postgres'));
        expect(databaseFolders.some((name) => existsSync(path.join(folders.data, name, 'PG_VERSION')))).toBe(true);
      });
      for (const { pid } of folders.processes()) kill(pid);
      await killed.ended;
      const service = startDev(folders);
      await service.ready;
      expect(readdirSync(folders.data).sort()).toEqual(['dev.json', 'pictures', 'postgres']);
      expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
      await folders.expectNoProcesses();
    } finally {
      await folders.remove();
    }
  });
});

describe('the commands of an operator', () => {
  it('a command without the keys of the stored secrets stores nothing', async () => {
    const { code, stderr } = await run(['org', 'create', 'unsealed'], { DATABASE_URL: ready.database_url });
    expect([code, stderr]).toEqual([2, expect.stringContaining('SECRETS_KEYS')]);
    expect((await cli('org', 'list')).stdout).not.toContain('unsealed');
  });

  it('an organization can be created, disabled and enabled', async () => {
    const made = await cli('org', 'create', 'acme', '--json');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { organization, api_key } = JSON.parse(made.stdout) as DevReady;
    expect(organization).toBe('acme');
    expect(await answerTo(api_key, 'acme')).toBe(200);
    expect(await cli('org', 'disable', 'acme')).toMatchObject({ code: 0, stderr: '' });
    expect(await answerTo(api_key, 'acme')).toBe(403);
    expect(await answerTo(ready.api_key)).toBe(200);
    expect(await cli('org', 'enable', 'acme')).toMatchObject({ code: 0, stderr: '' });
    expect(await answerTo(api_key, 'acme')).toBe(200);
    expect((await cli('org', 'list')).stdout).toMatch(/^acme {2}enabled {2}review automatic\ndemo {2}enabled/);
    expect(await cli('org', 'create', 'acme')).toMatchObject({
      code: 1,
      stderr: 'tearsheet: The slug is taken: an organization "acme" already exists.\n',
    });
  });

  it('the review mode of an organization can be set', async () => {
    expect(await cli('org', 'set', 'demo', '--review', 'manual')).toMatchObject({ code: 0, stderr: '' });
    expect(await oneRow("select review from organizations where slug = 'demo'")).toEqual({ review: 'manual' });
    expect(await cli('org', 'set', 'demo', '--review', 'automatic')).toMatchObject({ code: 0 });
    expect(await cli('org', 'set', 'demo', '--review', 'never')).toMatchObject({ code: 2 });
    expect(await cli('org', 'set', 'demo', '--set-retention-days', '30')).toMatchObject({ code: 0, stderr: '' });
    expect(await cli('org', 'set', 'demo', '--set-retention-days', 'default')).toMatchObject({ code: 0, stderr: '' });
    expect(await cli('org', 'set', 'demo', '--pictures-per-day', 'default')).toMatchObject({ code: 0, stderr: '' });
    const row = "select set_retention_days, pictures_per_day from organizations where slug = 'demo'";
    expect(await oneRow(row)).toEqual({ set_retention_days: null, pictures_per_day: null });
  });

  it('people can be invited by e-mail or with a link, listed, and removed, except the last owner', async () => {
    const mail = await startMailServer();
    const environment = { ...operator(), PUBLIC_URL: ready.url };
    const invite = (more: Record<string, string>) =>
      run(['user', 'invite', 'demo', 'Ann@Example.com', '--role', 'manager', '--json'], { ...environment, ...more });
    expect(await invite({})).toMatchObject({ code: 1, stderr: expect.stringContaining('set SMTP_URL or OIDC_ISSUER') });
    const printed = JSON.parse((await invite({ OIDC_ISSUER: 'https://login.example' })).stdout) as { url: string };
    expect((await fetch(printed.url)).status).toBe(200);
    const sent = await invite({ SMTP_URL: mail.url, MAIL_FROM: 't@example.com' });
    expect(sent).toMatchObject({ code: 0, stdout: expect.not.stringContaining('/invitations/') });
    const link = new URL(linkOf(await mail.mailTo('ann@example.com')), ready.url);
    await fetch(link, { method: 'POST', body: new URLSearchParams({ name: 'Ann' }), redirect: 'manual' });
    expect((await cli('user', 'list', 'demo')).stdout).toBe(
      'ann@example.com  manager  Ann\nsam@example.com  owner  Sam Sample\n',
    );
    const last = expect.stringContaining('last owner');
    expect(await cli('user', 'remove', 'demo', 'sam@example.com')).toMatchObject({ code: 1, stderr: last });
    expect(await cli('user', 'role', 'demo', 'sam@example.com', 'king')).toMatchObject({ code: 1 });
    expect(await cli('user', 'role', 'demo', 'ann@example.com', 'owner')).toMatchObject({ code: 0, stderr: '' });
    expect(await cli('user', 'role', 'demo', 'ann@example.com', 'viewer')).toMatchObject({ code: 0, stderr: '' });
    expect(await cli('user', 'remove', 'demo', 'ann@example.com')).toMatchObject({ code: 0, stderr: '' });
    expect(await cli('user', 'remove', 'demo', 'ann@example.com')).toMatchObject({ code: 1 });
    await mail.close();
  });

  it('keys can be created, listed and revoked', async () => {
    const made = await cli('key', 'create', 'demo', '--name', 'reader', '--scope', 'read', '--json');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { api_key } = JSON.parse(made.stdout) as DevReady;
    const id = api_key.split('_')[2] ?? '';
    expect(await answerTo(api_key)).toBe(200);
    expect((await cli('key', 'list', 'demo')).stdout).toContain(`${id}  live  read  reader`);
    expect(await cli('key', 'revoke', 'demo', id)).toMatchObject({ code: 0, stderr: '' });
    expect(await answerTo(api_key)).toBe(401);
    const listed = (await cli('key', 'list', 'demo')).stdout;
    expect(listed).toContain(`${id}  revoked`);
    expect(listed).not.toContain(api_key);
    expect(await cli('key', 'revoke', 'demo', 'nosuchid')).toMatchObject({
      code: 1,
      stderr: 'tearsheet: This organization has no such key.\n',
    });
  });

  it('an S3 connector can be set with its secret from the environment', async () => {
    const args = ['connector', 'set-s3', 'demo', '--region', 'eu-central-1', '--access-key-id', 'AKIA'];
    const environment = operator();
    expect(await run(args, environment)).toMatchObject({
      code: expect.toBeOneOf([1, 2]),
      stderr: expect.stringContaining('AWS_SECRET_ACCESS_KEY'),
    });
    expect(await run(args, { ...environment, AWS_SECRET_ACCESS_KEY: 'hidden' })).toMatchObject({ code: 0, stderr: '' });
    const stored = await oneRow('select region, access_key_id, secret_access_key from s3_connectors');
    const sealed = expect.stringMatching(/^sealed:/);
    expect(stored).toEqual({ region: 'eu-central-1', access_key_id: 'AKIA', secret_access_key: sealed });
  });

  it('migrate reports that the database is up to date', async () => {
    const { code, stdout, stderr } = await cli('migrate');
    expect([code, stderr]).toEqual([0, '']);
    const line = { level: 'info', name: 'migrate', applied: [], msg: 'the database is up to date' };
    expect(JSON.parse(stdout)).toMatchObject(line);
  });

  it.each([
    [['org']],
    [['org', 'create']],
    [['org', 'create', 'acme', '--nonsense']],
    [['key', 'create', 'demo', '--scope', 'everything']],
    [['key', 'create', 'demo', '--expires', 'soon']],
    [['key', 'create', 'demo', '--expires', '2020-01-01T00:00:00Z']],
    [['connector', 'set-s3', 'demo']],
    [['dev', '--port', '70000']],
    [['dev', '--port', 'http']],
    [['dev', '--allow', 'everything']],
    [['frobnicate']],
  ])('the command %j exits with 2 and a message about its fault', async (args) => {
    const { code, stdout, stderr } = await cli(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stderr).not.toBe('');
  });

  it('commands without DATABASE_URL exit with 2', async () => {
    const { code, stderr } = await run(['org', 'list']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^tearsheet: /);
    expect(stderr).toContain('DATABASE_URL is not set');
  });
});

describe('the end and the next start', () => {
  it('SIGTERM exits with 0, and the next start has the same key and the rotated secret', async () => {
    const rotated = await cli('org', 'rotate-webhook-secret', 'demo', '--json');
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
