/** Two controllers as processes: one leads and the other takes over. A former leader writes nothing and exits. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CoordinationV1Api, CustomObjectsApi } from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../src/commands/dev/ports.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch } from '../../support/insertRows.ts';
import {
  type KubernetesInstallation,
  PROFILE,
  startKubernetesInstallation,
} from '../../support/kubernetesInstallation.ts';
import { type ServiceProcess, startService } from '../../support/serviceProcess.ts';
import { TEST_KEYS } from '../../support/testKeys.ts';
import { expectLoggedErrors } from '../../support/testLog.ts';

let shop: KubernetesInstallation;
const running: ServiceProcess[] = [];
const LEADS = 'became the leader';

beforeEach(async () => {
  shop = await startKubernetesInstallation('replicas');
});

afterEach(async () => {
  for (const controller of running.splice(0)) {
    controller.kill('SIGKILL');
    await controller.ended;
  }
  await shop?.close();
});

async function environment(): Promise<Record<string, string>> {
  const profile = path.join(shop.folder, 'profile.json');
  await writeFile(profile, JSON.stringify(PROFILE));
  return {
    ...{ CAPTURE_PROFILE: profile, KUBECONFIG: shop.namespace.kubeconfig },
    ...{
      NAMESPACE: shop.namespace.name,
      DATABASE_URL: shop.database.url,
      SECRETS_KEYS: TEST_KEYS,
      ARTIFACTS_URL: `file://${shop.folder}/pictures`,
    },
    ...{ PUBLIC_URL: 'https://tearsheet.example', INTERNAL_URL: shop.internalUrl, HOST: '127.0.0.1' },
    METRICS_PORT: String(await freePort()),
    CAPTURE_RETRIES: '1',
  };
}

async function start() {
  const env = await environment();
  const controller = startService(['controller'], env);
  running.push(controller);
  await controller.says('ready');
  return { ...controller, address: `http://127.0.0.1:${env['METRICS_PORT']}` };
}

const leads = async ({ address }: { address: string }) => {
  const text = await (await fetch(`${address}/metrics`)).text();
  return /^tearsheet_leader (\d)$/m.exec(text)?.[1] === '1';
};

async function launched(content: string) {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const setId = await insertSet(db, organization, {
    pictures: [{ adId: await insertAd(db, organization, { content }) }],
  });
  await launch(db, shop.queue, organization);
  return { setId, name: `set-${setId}` };
}

const RESOURCE = { group: 'tearsheet.dev', version: 'v1alpha1', plural: 'screenshotjobs' };

/** A ScreenshotJob of an installation whose database is lost, with the spec of this one. */
async function ofLostDatabase(like: string) {
  const { spec } = await shop.read(like);
  const metadata = { name: 'set-lost', labels: { 'tearsheet.dev/installation': randomUUID() } };
  return { apiVersion: 'tearsheet.dev/v1alpha1', kind: 'ScreenshotJob', metadata, spec };
}

const isApproved = (setId: string) =>
  eventually(async () => {
    const sets = shop.store.db.selectFrom('screenshot_sets').select('status').where('id', '=', setId);
    expect(await sets.execute()).toEqual([{ status: 'approved' }]);
  });

test('one of two ready controllers leads, and the other one takes over when it is killed', async () => {
  const first = await start();
  await first.says(LEADS);
  const second = await start();
  expect((await fetch(`${second.address}/readyz`)).status).toBe(200);
  expect([await leads(first), await leads(second)]).toEqual([true, false]);
  await isApproved((await launched('fine')).setId);
  first.kill('SIGKILL');
  await second.says(LEADS);
  await isApproved((await launched('fine')).setId);
  expect(second.lines().filter(({ level }) => Number(level) >= 50 || level === 'error')).toEqual([]);
});

test('a terminated leader releases its Lease, so that the other controller takes over', async () => {
  const first = await start();
  await first.says(LEADS);
  const second = await start();
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  // Otherwise the other controller would have to wait until the Lease expires.
  const coordination = shop.namespace.config.makeApiClient(CoordinationV1Api);
  const { items } = await coordination.listNamespacedLease({ namespace: shop.namespace.name });
  expect(items).toHaveLength(1);
  expect(items[0]?.spec?.holderIdentity).not.toContain(`_${first.pid}`);
  await second.says(LEADS);
});

test('a leader that was paused for longer than its Lease writes nothing and exits with an error', async () => {
  expectLoggedErrors(/superseded by a newer leader|lost leadership/);
  const first = await start();
  await first.says(LEADS);
  const { name } = await launched('hang');
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Running'));
  first.kill('SIGSTOP');
  const second = await start();
  await second.says(LEADS);
  await eventually(async () => {
    const text = await (await fetch(`${second.address}/metrics`)).text();
    expect(text).toMatch(/tearsheet_reconciles_total\{outcome="done"\} [1-9]/);
  });
  const before = await writes(name);
  first.kill('SIGCONT');
  expect(await first.ended).toBe(1);
  expect(await writes(name)).toEqual(before);
});

/** All that a controller may have written about a set. */
async function writes(name: string) {
  const { metadata, status } = await shop.read(name);
  const job = await shop.store.db.selectFrom('screenshot_jobs').selectAll().where('name', '=', name).execute();
  const jobs = (await shop.batch.listNamespacedJob({ namespace: shop.namespace.name })).items;
  return { version: metadata['resourceVersion'], status, job, jobs: jobs.map(({ metadata }) => metadata?.uid) };
}

test('cleanup deletes everything while a controller runs, names what it leaves, cancels no set and can be repeated', async () => {
  const controller = await start();
  await controller.says(LEADS);
  const { setId, name } = await launched('hang');
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Running'));
  await shop.namespace.config
    .makeApiClient(CustomObjectsApi)
    .createNamespacedCustomObject({ ...RESOURCE, namespace: shop.namespace.name, body: await ofLostDatabase(name) });
  for (let times = 0; times < 2; times++) {
    const cleanup = startService(['cleanup', '--wait', '240'], await environment());
    running.push(cleanup);
    expect(await cleanup.ended).toBe(0);
    expect(cleanup.output()).toContain('ScreenshotJobs that this installation does not own are kept (1): set-lost.');
    await expect(shop.read(name)).rejects.toMatchObject({ code: 404 });
    expect((await shop.batch.listNamespacedJob({ namespace: shop.namespace.name })).items).toEqual([]);
  }
  const set = shop.store.db.selectFrom('screenshot_sets').select('status').where('id', '=', setId);
  expect(await set.executeTakeFirst()).toEqual({ status: 'capturing' });
  // If the installation stays after all, its work continues.
  await shop.store.db.updateTable('installation').set({ stopped_until: null }).execute();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Running'));
});
