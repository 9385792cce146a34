/** Point-in-time recovery: a real PostgreSQL, its base backup and its log archive, beside files that are newer. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { openArtifacts } from '../../../src/artifacts/open.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/commands/dev/embeddedPostgres.ts';
import { missingFiles } from '../../../src/core/operations/storedFiles.ts';
import { openStore } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const PASSWORD = 'recovery';
const ORGANIZATION = '00000000-0000-4000-8000-00000000000a';

async function start(folder: string, settings: readonly string[]): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ folder, password: PASSWORD, settings });
  closing.push(() => server.stop());
  return server;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  // The server of the test ends before its clients do.
  client.on('error', () => undefined);
  closing.push(() => client.end());
  return client;
}

test('after a recovery to an earlier moment, the check names the files that were deleted since, and no others', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'tearsheet-recovery-'));
  closing.push(() => rmSync(root, { recursive: true, force: true }));
  const [data, base, archive] = ['data', 'base', 'archive'].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ];
  // The server has an account of its own if root runs the tests.
  chmodSync(root, 0o755);
  mkdirSync(archive);
  chmodSync(archive, 0o777);
  const artifacts = openArtifacts(`file://${path.join(root, 'pictures')}`, {});
  const first = await start(data, ['archive_mode=on', `archive_command=cp "%p" "${archive}/%f"`]);
  await migrate(first.url);
  const db = await connect(first.url);
  await db.query(`insert into organizations (id, slug, webhook_secret) values ('${ORGANIZATION}', 'acme', '')`);
  const take = async (name: string) => {
    await artifacts.put(`pictures/${name}.png`, Buffer.from(name), 'image/png');
    await db.query(
      `insert into images (token, organization_id, artifact_key, width, height, bytes, sha256) values ($1, $2, $3, 1, 1, 1, '')`,
      [name, ORGANIZATION, `pictures/${name}.png`],
    );
  };
  await take('before-the-backup');
  await db.query(`select pg_backup_start('base', true)`);
  execFileSync('cp', ['-a', data, base]);
  rmSync(path.join(base, 'postmaster.pid'));
  const { rows: labels } = await db.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await take('after-the-backup');
  const { rows } = await db.query<{ now: string }>('select clock_timestamp()::text as now');
  await sleep(1_100);
  await take('after-the-moment');
  await artifacts.delete('pictures/before-the-backup.png');
  await db.query(`delete from images where token = 'before-the-backup'`);
  await db.query('select pg_switch_wal()');
  await db.end();
  await first.stop();

  const [label, signal] = ['backup_label', 'recovery.signal'].map((name) => path.join(base, name)) as [string, string];
  writeFileSync(label, labels[0]?.labelfile ?? '');
  writeFileSync(signal, '');
  execFileSync('chown', ['--reference', path.join(base, 'PG_VERSION'), label, signal]);
  const restored = await start(base, [
    `restore_command=cp "${archive}/%f" "%p"`,
    `recovery_target_time=${rows[0]?.now}`,
    'recovery_target_action=promote',
  ]);
  const store = openStore({ url: restored.url, keyRing: TEST_KEY_RING });
  closing.push(() => store.close());
  const named = await store.db.selectFrom('images').select('token').orderBy('token').execute();
  expect(named.map(({ token }) => token)).toEqual(['after-the-backup', 'before-the-backup']);
  const missing = [];
  for await (const file of missingFiles({ db: store.db, artifacts }, () => undefined)) missing.push(file);
  expect(missing).toEqual([{ kind: 'picture', organization: ORGANIZATION, key: 'pictures/before-the-backup.png' }]);
  expect(await artifacts.sizeOf('pictures/after-the-moment.png')).toBe(16);
});
