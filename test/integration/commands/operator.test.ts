/** The operator's commands on a database, and what the API then answers. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DevReady } from '../../../src/commands/dev/dev.ts';
import { ensureSamplePerson } from '../../../src/commands/dev/devState.ts';
import { linkOf, startMailServer } from '../../support/mailServer.ts';
import { type Json, startPublicApi, type TestApi } from '../../support/publicApi.ts';
import { runCommand } from '../../support/runCommand.ts';
import { startService } from '../../support/serviceProcess.ts';
import { TEST_KEYS } from '../../support/testKeys.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startPublicApi();
});

afterAll(() => api?.close());

const operator = () => ({ DATABASE_URL: api.databaseUrl, SECRETS_KEYS: TEST_KEYS });
const cli = (...args: string[]) => runCommand(args, operator());

/** @returns the status of a read with this key. */
async function answerTo(key: string, organization: string): Promise<number> {
  const path = `/api/v1/orgs/${organization}/campaigns`;
  return (await api.send({ path, headers: { authorization: `Bearer ${key}` } })).status;
}

async function oneRow(sql: string): Promise<Json> {
  return (await api.store.pool.query(sql)).rows[0];
}

it('a command without the keys of the stored secrets stores nothing', async () => {
  const { code, stderr } = await runCommand(['org', 'create', 'unsealed'], { DATABASE_URL: api.databaseUrl });
  expect([code, stderr]).toEqual([2, expect.stringContaining('SECRETS_KEYS')]);
  expect((await cli('org', 'list')).stdout).not.toContain('unsealed');
});

it('an organization can be created, disabled and enabled', async () => {
  const made = await cli('org', 'create', 'beta', '--json');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const { organization, api_key } = JSON.parse(made.stdout) as DevReady;
  expect(organization).toBe('beta');
  expect(await answerTo(api_key, 'beta')).toBe(200);
  expect(await cli('org', 'disable', 'beta')).toMatchObject({ code: 0, stderr: '' });
  expect(await answerTo(api_key, 'beta')).toBe(403);
  expect(await answerTo(api.organization.api_key, 'acme')).toBe(200);
  expect(await cli('org', 'enable', 'beta')).toMatchObject({ code: 0, stderr: '' });
  expect(await answerTo(api_key, 'beta')).toBe(200);
  expect((await cli('org', 'list')).stdout).toMatch(/^acme {2}enabled {2}review automatic\nbeta {2}enabled/);
  expect(await cli('org', 'create', 'beta')).toMatchObject({
    code: 1,
    stderr: 'tearsheet: The slug is taken: an organization "beta" already exists.\n',
  });
});

it('the review mode of an organization can be set', async () => {
  expect(await cli('org', 'set', 'acme', '--review', 'manual')).toMatchObject({ code: 0, stderr: '' });
  expect(await oneRow("select review from organizations where slug = 'acme'")).toEqual({ review: 'manual' });
  expect(await cli('org', 'set', 'acme', '--review', 'automatic')).toMatchObject({ code: 0 });
  expect(await cli('org', 'set', 'acme', '--review', 'never')).toMatchObject({ code: 2 });
  expect(await cli('org', 'set', 'acme', '--set-retention-days', '30')).toMatchObject({ code: 0, stderr: '' });
  expect(await cli('org', 'set', 'acme', '--set-retention-days', 'default')).toMatchObject({ code: 0, stderr: '' });
  expect(await cli('org', 'set', 'acme', '--pictures-per-day', 'default')).toMatchObject({ code: 0, stderr: '' });
  const row = "select set_retention_days, pictures_per_day from organizations where slug = 'acme'";
  expect(await oneRow(row)).toEqual({ set_retention_days: null, pictures_per_day: null });
});

it('people can be invited by e-mail or with a link, listed, and removed, except the last owner', async () => {
  await api.store.db.transaction().execute((tx) => ensureSamplePerson(tx, 'acme'));
  const mail = await startMailServer();
  const pages = await api.startReplica({}, { withPages: true });
  const environment = { ...operator(), PUBLIC_URL: pages };
  const invite = (more: Record<string, string>) =>
    runCommand(['user', 'invite', 'acme', 'Ann@Example.com', '--role', 'manager', '--json'], {
      ...environment,
      ...more,
    });
  expect(await invite({})).toMatchObject({ code: 1, stderr: expect.stringContaining('set SMTP_URL or OIDC_ISSUER') });
  const printed = JSON.parse((await invite({ OIDC_ISSUER: 'https://login.example' })).stdout) as { url: string };
  expect((await fetch(printed.url)).status).toBe(200);
  const sent = await invite({ SMTP_URL: mail.url, MAIL_FROM: 't@example.com' });
  expect(sent).toMatchObject({ code: 0, stdout: expect.not.stringContaining('/invitations/') });
  const link = new URL(linkOf(await mail.mailTo('ann@example.com')), pages);
  await fetch(link, { method: 'POST', body: new URLSearchParams({ name: 'Ann' }), redirect: 'manual' });
  expect((await cli('user', 'list', 'acme')).stdout).toBe(
    'ann@example.com  manager  Ann\nsam@example.com  owner  Sam Sample\n',
  );
  const last = expect.stringContaining('last owner');
  expect(await cli('user', 'remove', 'acme', 'sam@example.com')).toMatchObject({ code: 1, stderr: last });
  expect(await cli('user', 'role', 'acme', 'sam@example.com', 'king')).toMatchObject({ code: 1 });
  expect(await cli('user', 'role', 'acme', 'ann@example.com', 'owner')).toMatchObject({ code: 0, stderr: '' });
  expect(await cli('user', 'role', 'acme', 'ann@example.com', 'viewer')).toMatchObject({ code: 0, stderr: '' });
  expect(await cli('user', 'remove', 'acme', 'ann@example.com')).toMatchObject({ code: 0, stderr: '' });
  expect(await cli('user', 'remove', 'acme', 'ann@example.com')).toMatchObject({ code: 1 });
  await mail.close();
});

it('keys can be created, listed and revoked', async () => {
  const made = await cli('key', 'create', 'acme', '--name', 'reader', '--scope', 'read', '--json');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const { api_key } = JSON.parse(made.stdout) as DevReady;
  const id = api_key.split('_')[2] ?? '';
  expect(await answerTo(api_key, 'acme')).toBe(200);
  expect((await cli('key', 'list', 'acme')).stdout).toContain(`${id}  live  read  reader`);
  expect(await cli('key', 'revoke', 'acme', id)).toMatchObject({ code: 0, stderr: '' });
  expect(await answerTo(api_key, 'acme')).toBe(401);
  const listed = (await cli('key', 'list', 'acme')).stdout;
  expect(listed).toContain(`${id}  revoked`);
  expect(listed).not.toContain(api_key);
  expect(await cli('key', 'revoke', 'acme', 'nosuchid')).toMatchObject({
    code: 1,
    stderr: 'tearsheet: This organization has no such key.\n',
  });
});

it('an S3 connector can be set with its secret from the environment', async () => {
  const args = ['connector', 'set-s3', 'acme', '--region', 'eu-central-1', '--access-key-id', 'AKIA'];
  const environment = operator();
  expect(await runCommand(args, environment)).toMatchObject({
    code: expect.toBeOneOf([1, 2]),
    stderr: expect.stringContaining('AWS_SECRET_ACCESS_KEY'),
  });
  expect(await runCommand(args, { ...environment, AWS_SECRET_ACCESS_KEY: 'hidden' })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const stored = await oneRow('select region, access_key_id, secret_access_key from s3_connectors');
  const sealed = expect.stringMatching(/^sealed:/);
  expect(stored).toEqual({ region: 'eu-central-1', access_key_id: 'AKIA', secret_access_key: sealed });
});

it('migrate reports that the database is up to date', async () => {
  const migrate = startService(['migrate'], operator());
  expect(await migrate.ended).toBe(0);
  const line = { level: 'info', name: 'migrate', applied: [], msg: 'the database is up to date' };
  expect(migrate.lines()).toEqual([expect.objectContaining(line)]);
});
