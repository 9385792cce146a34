/**
 * Webhooks a second: from the stored deliveries to the stored results, compared with a bare undici loop that sends the same
 * bodies. And how long a webhook waits while another organization has receivers that hang.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { FolderArtifactStore } from '../../src/artifacts/folder.ts';
import { startDeliveries } from '../../src/delivery/deliveries.ts';
import { OPERATOR } from '../../src/domain/auditLog.ts';
import { createGuard } from '../../src/egress/guard.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { startQueue } from '../../src/queue/queue.ts';
import { openStore, type Store } from '../../src/store/database/database.ts';
import { migrate } from '../../src/store/database/migrate.ts';
import { sendTestEvent } from '../../src/workflow/testEvents.ts';
import type { Figure } from './figure.ts';
import { type Program, startProgram } from './program.ts';

export interface WebhookOptions {
  readonly databaseUrl: string;
  readonly rounds: number;
  readonly webhooks: number;
}

const CONNECTIONS = 16;
const HANGING = 80;
const RECEIVER = fileURLToPath(new URL('hookReceiver.ts', import.meta.url));
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: console.error };

export async function measureWebhooks({ databaseUrl, rounds, webhooks }: WebhookOptions): Promise<Figure[]> {
  await migrate(databaseUrl);
  const store = openStore({ url: databaseUrl });
  const receiver = await startProgram([RECEIVER]);
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-bench-'));
  const values = { ours: [] as number[], bare: [] as number[], waits: [] as number[] };
  try {
    const bench = { databaseUrl, store, receiver, folder };
    for (let round = -1; round < rounds; round++) {
      const ours = await deliveriesPerSecond(bench, webhooks);
      const bare = await bareLoopPerSecond(bench, webhooks);
      // The first round warms up.
      if (round >= 0) values.ours.push(ours) && values.bare.push(bare);
    }
    values.waits.push(await waitBesideHanging(bench));
  } finally {
    await receiver.stop();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
  return [
    {
      name: 'webhooks delivered to one receiver',
      unit: 'webhooks/s',
      ours: values.ours,
      other: { name: 'bare undici loop, the same bodies', values: values.bare },
    },
    {
      name: `a webhook while ${HANGING} receivers of another organization hang`,
      unit: 's until it arrives',
      ours: values.waits,
    },
  ];
}

interface Bench {
  readonly databaseUrl: string;
  readonly store: Store;
  readonly receiver: Program;
  readonly folder: string;
}

/** Starts what sends deliveries. @returns a function that stops it. */
async function startSending({ databaseUrl, store, folder }: Bench, attempted: () => void = () => undefined) {
  const queue = await startQueue({ databaseUrl, onError: console.error });
  const deliveries = await startDeliveries({
    ...{ store, queue, log: SILENT, observe: { attempted } },
    artifacts: new FolderArtifactStore(folder),
    guard: createGuard({ allow: ['127.0.0.0/8'] }),
  });
  return async () => {
    await deliveries.stop(1_000);
    await queue.stop({ timeoutMs: 1_000 });
  };
}

async function deliveriesPerSecond(bench: Bench, webhooks: number): Promise<number> {
  const organizationId = await insertOrganization(bench.store);
  await storeWebhooks(bench, organizationId, Array<string>(webhooks).fill(`http://127.0.0.1:${bench.receiver.line}/`));
  const all = Promise.withResolvers<void>();
  let attempts = 0;
  const start = performance.now();
  const stop = await startSending(bench, () => {
    attempts += 1;
    if (attempts === webhooks) all.resolve();
  });
  await all.promise;
  const seconds = (performance.now() - start) / 1000;
  await stop();
  return webhooks / seconds;
}

async function bareLoopPerSecond({ store, receiver }: Bench, webhooks: number): Promise<number> {
  const events = await store.db.selectFrom('events').select('body').limit(webhooks).execute();
  const pool = new Pool(`http://127.0.0.1:${receiver.line}`, { connections: CONNECTIONS });
  const start = performance.now();
  const worker = async () => {
    for (let next = events.pop(); next !== undefined; next = events.pop()) {
      const headers = { 'content-type': 'application/json' };
      const { body } = await pool.request({ path: '/', method: 'POST', headers, body: next.body });
      await body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const seconds = (performance.now() - start) / 1000;
  await pool.close();
  return webhooks / seconds;
}

/** @returns the seconds from the commit of a webhook to its arrival, while each slot that the other organization gets is taken. */
async function waitBesideHanging(bench: Bench): Promise<number> {
  const { line: port } = bench.receiver;
  const hanging = Array.from({ length: HANGING }, (_, n) => `http://127.0.1.${n + 1}:${port}/hang`);
  await storeWebhooks(bench, await insertOrganization(bench.store), hanging);
  const organizationId = await insertOrganization(bench.store);
  const stop = await startSending(bench);
  // Long enough for every slot of the first organization to be taken.
  await sleep(3_000);
  const target = `http://127.0.0.1:${port}/time`;
  const start = performance.now();
  await storeWebhooks(bench, organizationId, [target]);
  const delivered = bench.store.db
    .selectFrom('deliveries')
    .select('id')
    .where('target', '=', target)
    .where('status', '=', 'delivered');
  while ((await delivered.execute()).length === 0) await sleep(10);
  const seconds = (performance.now() - start) / 1000;
  await stop();
  return seconds;
}

async function insertOrganization({ db }: Store): Promise<string> {
  const id = randomUUID();
  const webhook_secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  await db
    .insertInto('organizations')
    .values({ id, slug: `bench-${id.slice(0, 8)}`, review: 'automatic', webhook_secret })
    .execute();
  return id;
}

async function storeWebhooks({ store }: Bench, organizationId: string, urls: readonly string[]) {
  for (let from = 0; from < urls.length; from += 100) {
    await store.db.transaction().execute(async (tx) => {
      for (const url of urls.slice(from, from + 100)) await sendTestEvent(tx, { organizationId, url }, OPERATOR);
    });
  }
}
