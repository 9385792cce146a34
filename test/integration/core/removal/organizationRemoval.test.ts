/** Deletes organizations with everything that they have, over a real PostgreSQL and files in a folder. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FolderArtifactStore } from '../../../../src/artifacts/folder.ts';
import type { ArtifactStore } from '../../../../src/artifacts/store.ts';
import { deleteEntriesOfDeleted } from '../../../../src/core/journal/auditLogQueries.ts';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { deleteOrganization, previewDeletion } from '../../../../src/core/removal/organizationRemoval.ts';
import { fillOrganization } from '../../../support/fillOrganization.ts';
import { PUBLIC_URL, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let folder: string;
let artifacts: ArtifactStore;
let api: TestApi;
let filled: Awaited<ReturnType<typeof fillOrganization>>;
/** A new organization for the tests of a group, which follow each other. */
const withOrganization = () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'org-delete-'));
    artifacts = new FolderArtifactStore(folder);
    api = await startPublicApi({ artifacts });
  });
  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });
};

const queue = { enqueue: async () => undefined };
const remove = (store: ArtifactStore = artifacts) =>
  deleteOrganization({ db: api.store.db, artifacts: store, queue, publicUrl: PUBLIC_URL }, 'acme', { waitMs: 0 });

async function filesLeft(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const fill = () => fillOrganization(api, artifacts);
const isGone = async () =>
  (await api.store.db.selectFrom('organizations').select('id').where('slug', '=', 'acme').execute()).length === 0;

/** Tables in which a deleted organization has no row. */
const EMPTY = [
  'ads',
  'screenshots',
  'placements',
  'schedules',
  'schedule_runs',
  'uploads',
  'events',
  'deliveries',
  'delivery_attempts',
  'subscribers',
  'webhook_endpoints',
].concat([
  'request_templates',
  'site_lists',
  'site_rules',
  'drafts',
  's3_connectors',
  'branding',
  'idempotency_keys',
  'api_keys',
  'share_links',
  'reviews',
  'set_search',
  'usage_days',
]);

describe('a deletion', () => {
  withOrganization();

  test('the preview says what an organization has, and deletes nothing', async () => {
    filled = await fill();
    const counts = await previewDeletion(api.store.db, 'acme');
    expect(counts).toMatchObject({
      campaigns: 2,
      sets: 2,
      screenshots: 4,
      pictures: 4,
      uploads: 2,
      exports: 1,
      share_links: 1,
    });
    expect(counts).toMatchObject({
      webhook_endpoints: 1,
      connectors: 1,
      templates: 1,
      schedules: 1,
      site_lists: 1,
      site_rules: 1,
      api_keys: 2,
      events: 1,
      deliveries: 1,
    });
    expect((await api.get('settings')).status).toBe(200);
  });

  test('a deleted organization leaves no file, no key and no content, and another one keeps everything', async () => {
    const { picture, setPath, organizationId } = filled;
    expect((await api.send({ path: picture })).status).toBe(200);
    const other = await createOrganization(api.store.db, { slug: 'other' });
    const otherKey = { authorization: other.api_key };
    const { removed, isComplete } = await remove();
    expect([isComplete, removed['sets'], removed['pictures'], removed['uploads']]).toEqual([true, 2, 4, 2]);
    expect(await filesLeft()).toEqual([]);
    for (const table of EMPTY.filter((name) => name !== 'api_keys'))
      expect([table, await api.count(table)]).toEqual([table, 0]);
    expect((await api.get('settings')).status).toBe(401);
    expect((await api.get(setPath)).status).toBe(401);
    expect((await api.send({ path: picture })).status).toBe(410);
    expect((await api.send({ path: '/api/v1/orgs/other/settings', headers: otherKey })).status).toBe(200);
    const row = await api.store.db
      .selectFrom('organizations')
      .selectAll()
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow();
    expect([row.slug, row.deleted_at]).toEqual([expect.stringMatching(/^deleted-/), expect.any(Date)]);
  });

  test('the name is free again, and the new organization has nothing of the old one', async () => {
    const { setPath } = filled;
    const again = await createOrganization(api.store.db, { slug: 'acme' });
    const get = async (at: string) =>
      api.send({ path: `/api/v1/orgs/acme/${at}`, headers: { authorization: again.api_key } });
    expect([
      (await get('campaigns')).json.total,
      (await get('audit_log')).json.total,
      (await get(setPath)).status,
    ]).toEqual([0, 0, 404]);
  });

  test('entries of the audit log of a deleted organization go after 30 days', async () => {
    const { organizationId } = filled;
    const { db, pool } = api.store;
    const entries = async () =>
      (await db.selectFrom('audit_log').select('id').where('organization_id', '=', organizationId).execute()).length;
    expect(await entries()).toBeGreaterThan(0);
    await deleteEntriesOfDeleted(db, 100);
    expect(await entries()).toBeGreaterThan(0);
    await pool.query('alter table audit_log disable trigger protect_rows');
    await pool.query(`update audit_log set created_at = now() - interval '32 days'`);
    await pool.query('alter table audit_log enable trigger protect_rows');
    await deleteEntriesOfDeleted(db, 100);
    expect(await entries()).toBe(0);
  });
});

describe('a deletion that is killed', () => {
  withOrganization();

  test('keys are rejected and open sets are canceled before the first file goes', async () => {
    filled = await fill();
    const failing = { ...delegating(artifacts), delete: () => Promise.reject(new Error('killed')) };
    await expect(remove(failing)).rejects.toThrow('killed');
    expect((await api.get('settings')).status).toBe(401);
    const open = await api.store.db
      .selectFrom('screenshot_sets')
      .select('id')
      .where('status', 'in', ['draft', 'capturing'])
      .execute();
    expect(open).toEqual([]);
  });

  test('a command that was killed at any file is finished by the next one, and one entry of the audit log says what went', async () => {
    const { organizationId } = filled;
    const { db } = api.store;
    for (const most of [1, 3, 6]) {
      let deletions = 0;
      const failing: ArtifactStore = {
        ...delegating(artifacts),
        delete: (key) => {
          deletions += 1;
          return deletions > most ? Promise.reject(new Error('killed')) : artifacts.delete(key);
        },
      };
      await remove(failing).catch((error: unknown) => expect(String(error)).toContain('killed'));
      if (await isGone()) break;
    }
    if (!(await isGone())) expect((await remove()).isComplete).toBe(true);
    expect(await filesLeft()).toEqual([]);
    const entries = await db
      .selectFrom('audit_log')
      .select(['action', 'changes'])
      .where('organization_id', '=', organizationId)
      .where('action', '=', 'organization.deleted')
      .execute();
    expect(entries).toHaveLength(1);
    expect(entries[0]?.changes).toContainEqual({ field: 'pictures', from: '4', to: null });
  });
});

describe('a deletion during a capture', () => {
  withOrganization();

  test('a running capture delays the deletion, and the next command finishes it', async () => {
    const { db } = api.store;
    const { id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
    const id = randomUUID();
    const job = { id, name: `ads-${id}`, organization_id: organizationId, set_id: null, indexes: 1, parallelism: 1 };
    await db
      .insertInto('screenshot_jobs')
      .values({ ...job, deadline_at: new Date() })
      .execute();
    expect((await remove()).isComplete).toBe(false);
    expect((await api.get('settings')).status).toBe(401);
    await db.updateTable('screenshot_jobs').set({ settled_at: new Date() }).execute();
    expect((await remove()).isComplete).toBe(true);
  });
});

/** The methods of a class as a plain object, so that a test can replace some. */
function delegating(store: ArtifactStore): ArtifactStore {
  return {
    put: (...given) => store.put(...given),
    putStream: (...given) => store.putStream(...given),
    discardStream: (key) => store.discardStream(key),
    get: (key) => store.get(key),
    getStream: (...given) => store.getStream(...given),
    sizeOf: (key) => store.sizeOf(key),
    delete: (key) => store.delete(key),
    uploadRequest: (...given) => store.uploadRequest(...given),
    downloadUrl: (...given) => store.downloadUrl(...given),
    clientOrigin: () => store.clientOrigin(),
    close: () => store.close(),
  };
}
