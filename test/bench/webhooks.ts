/**
 * Webhooks a second, from stored deliveries to stored results, and how long a webhook waits while another organization has
 * receivers that hang. As a program it is the sender (`node webhooks.ts send OPTIONS`) or the receiver (`receive`), because
 * these are processes of their own.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { destination } from 'pino';
import { FolderArtifactStore } from '../../src/artifacts/folder.ts';
import { startDeliveries } from '../../src/commands/service/startDeliveries.ts';
import { sendTestEvent } from '../../src/core/webhooks/testEvents.ts';
import { openStore, type Store } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openNotifications } from '../../src/db/notifications.ts';
import { startQueue } from '../../src/db/queue.ts';
import { sealSecret } from '../../src/db/secrets/sealing.ts';
import { OPERATOR } from '../../src/domain/auditLog.ts';
import { createGuard } from '../../src/egress/guard.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { TEST_KEY_RING } from '../support/testKeys.ts';
import type { Figure } from './figures.ts';
import { runProgram, startProgram } from './service.ts';

export interface WebhookOptions {
  readonly databaseUrl: string;
  readonly rounds: number;
  readonly webhooks: number;
}

const SELF = fileURLToPath(import.meta.url);
const HANGING = 80;
const SHAPES = [
  { name: 'webhooks delivered to one receiver', organizations: 1, receivers: 1 },
  { name: 'webhooks of 20 organizations with 10 receivers each', organizations: 20, receivers: 10 },
] as const;

interface Bench extends WebhookOptions {
  readonly store: Store;
  /** The port of the receiver, which listens on every address of this machine. */
  readonly port: string;
}

export async function measureWebhooks(options: WebhookOptions): Promise<Figure[]> {
  await migrate(options.databaseUrl);
  const store = openStore({ url: options.databaseUrl, keyRing: TEST_KEY_RING });
  const receiver = await startProgram([SELF, 'receive']);
  const bench = { ...options, store, port: receiver.line };
  try {
    const figures: Figure[] = [];
    for (const shape of SHAPES) {
      const ours: number[] = [];
      for (let round = 0; round < options.rounds; round++) ours.push(await perSecond(bench, shape));
      figures.push({ name: shape.name, unit: 'webhooks/s', ours, aim: { at: 'least', value: 500 } });
    }
    const ours = [await waitBesideHanging(bench)];
    const name = `a webhook while ${HANGING} receivers of another organization hang`;
    return [...figures, { name, unit: 's', ours, aim: { at: 'most', value: 1 } }];
  } finally {
    await receiver.stop();
    await store.close();
  }
}

async function perSecond(bench: Bench, { organizations, receivers }: (typeof SHAPES)[number]): Promise<number> {
  const warmUp = Math.ceil(bench.webhooks / 4);
  const each = Math.ceil((warmUp + bench.webhooks) / organizations);
  for (let n = 1; n <= organizations; n++) {
    const targets = Array.from({ length: each }, (_, i) => `http://127.0.${n}.${1 + (i % receivers)}:${bench.port}/`);
    await storeWebhooks(bench, await insertOrganization(bench.store), targets);
  }
  const options: SendOptions = { databaseUrl: bench.databaseUrl, warmUp, webhooks: bench.webhooks };
  return Number(await runProgram([SELF, 'send', JSON.stringify(options)]));
}

/** @returns the seconds from the commit of a webhook to its result, while each slot that the other organization gets is taken. */
async function waitBesideHanging(bench: Bench): Promise<number> {
  const { store, port, databaseUrl } = bench;
  const hanging = Array.from({ length: HANGING }, (_, n) => `http://127.0.1.${n + 1}:${port}/hang`);
  await storeWebhooks(bench, await insertOrganization(store), hanging);
  const organizationId = await insertOrganization(store);
  const sender = await startProgram([SELF, 'send', JSON.stringify({ databaseUrl })]);
  try {
    // Long enough for every slot of the first organization to be taken.
    await sleep(3_000);
    const start = performance.now();
    await storeWebhooks(bench, organizationId, [`http://127.0.0.1:${port}/time`]);
    const row = store.db.selectFrom('deliveries').select('id').where('organization_id', '=', organizationId);
    while ((await row.where('status', '=', 'delivered').execute()).length === 0) {
      if (performance.now() - start > 60_000) throw new Error('The webhook was not delivered within one minute.');
      await sleep(10);
    }
    return (performance.now() - start) / 1000;
  } finally {
    await sender.stop();
  }
}

async function insertOrganization({ db }: Store): Promise<string> {
  const id = randomUUID();
  const webhook_secret = sealSecret(
    db,
    `whsec_${Buffer.alloc(24, 1).toString('base64')}`,
    `organizations.webhook_secret of ${id}`,
  );
  const row = { id, slug: `bench-${id.slice(0, 8)}`, review: 'automatic', webhook_secret } as const;
  await db.insertInto('organizations').values(row).execute();
  return id;
}

async function storeWebhooks({ store }: Bench, organizationId: string, urls: readonly string[]): Promise<void> {
  for (let from = 0; from < urls.length; from += 100) {
    await store.db.transaction().execute(async (tx) => {
      for (const url of urls.slice(from, from + 100)) await sendTestEvent(tx, { organizationId, url }, OPERATOR);
    });
  }
}

interface SendOptions {
  readonly databaseUrl: string;
  /** Webhooks that are sent before the measurement. */
  readonly warmUp?: number;
  /** Without it, the sender says that it is ready, and does not end. */
  readonly webhooks?: number;
}

/** Sends the stored deliveries as a controller does, with its log and its notifications. Prints the rate. */
async function send({ databaseUrl, warmUp = 0, webhooks }: SendOptions): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let [count, start] = [0, performance.now()];
  const attempted = () => {
    count += 1;
    if (count === warmUp) start = performance.now();
    if (webhooks !== undefined && count === warmUp + webhooks) resolve(webhooks / ((performance.now() - start) / 1000));
  };
  const store = openStore({ url: databaseUrl, keyRing: TEST_KEY_RING });
  const queue = await startQueue({ databaseUrl, onError: console.error });
  const notifications = openNotifications(databaseUrl);
  const deliveries = await startDeliveries({
    ...{ store, queue, subscribe: notifications.subscribe, observe: { attempted } },
    log: createLogger({ level: 'info', name: 'bench', destination: destination({ dest: '/dev/null', sync: true }) }),
    // Webhooks need no pictures.
    artifacts: new FolderArtifactStore('/nonexistent'),
    guard: createGuard({ allow: ['127.0.0.0/8'] }),
  });
  if (webhooks === undefined) console.log('ready');
  console.log(await promise);
  await deliveries.stop(1_000);
  await notifications.close();
  await queue.stop({ timeoutMs: 1_000 });
  await store.close();
}

/** Answers 204, but never below `/hang`. Prints its port. */
function receive(): void {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume();
    if (request.url?.startsWith('/hang') !== true) request.on('end', () => response.writeHead(204).end());
  });
  server.listen(0, () => console.log((server.address() as AddressInfo).port));
}

if (import.meta.main) {
  const [role, options = ''] = process.argv.slice(2);
  if (role === 'receive') receive();
  else await send(JSON.parse(options) as SendOptions);
}
