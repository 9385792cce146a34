/**
 * Webhooks a second: from stored deliveries to stored results, beside a bare undici loop that sends the same bodies. And how
 * long a webhook waits while another organization has receivers that hang. The service, the bare loop, the receiver and
 * PostgreSQL are processes of their own.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { OPERATOR } from '../../src/domain/auditLog.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { openStore, type Store } from '../../src/store/database/database.ts';
import { migrate } from '../../src/store/database/migrate.ts';
import { sealSecret, webhookSecretPlace } from '../../src/store/secrets/sealing.ts';
import { sendTestEvent } from '../../src/workflow/testEvents.ts';
import { TEST_KEY_RING } from '../support/testKeys.ts';
import type { Figure } from './figure.ts';
import { type Program, runProgram, startProgram } from './program.ts';
import type { Measured } from './webhooks/measured.ts';

export interface WebhookOptions {
  readonly databaseUrl: string;
  /** The process of PostgreSQL. */
  readonly postgres: number;
  readonly rounds: number;
  readonly webhooks: number;
  /** Prints the processor time of each round. */
  readonly log: (text: string) => void;
}

const HANGING = 80;
const RECEIVER = fileURLToPath(new URL('webhooks/receiver.ts', import.meta.url));
const SERVICE = fileURLToPath(new URL('webhooks/service.ts', import.meta.url));
const BARE_LOOP = fileURLToPath(new URL('webhooks/bareLoop.ts', import.meta.url));
/** The service sends at most 16 at a time to one receiver of an organization. */
const CONNECTIONS = 16;
const SHAPES = [
  { name: 'webhooks delivered to one receiver', organizations: 1, receivers: 1, atOnce: CONNECTIONS },
  { name: 'webhooks of 20 organizations with 10 receivers each', organizations: 20, receivers: 10, atOnce: 256 },
] as const;

export async function measureWebhooks(options: WebhookOptions): Promise<Figure[]> {
  const { databaseUrl, postgres, rounds } = options;
  await migrate(databaseUrl);
  const store = openStore({ url: databaseUrl, keyRing: TEST_KEY_RING });
  const receiver = await startProgram([RECEIVER]);
  try {
    const bench: Bench = { ...options, store, port: receiver.line, pids: { postgres, receiver: receiver.pid } };
    const figures: Figure[] = [];
    for (const shape of SHAPES) {
      const values = { ours: [] as number[], bare: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        values.ours.push(await perSecond(bench, shape, SERVICE));
        values.bare.push(await perSecond(bench, shape, BARE_LOOP));
      }
      const other = { name: 'bare undici loop, the same bodies', values: values.bare };
      figures.push({ name: shape.name, unit: 'webhooks/s', ours: values.ours, other });
    }
    const name = `a webhook while ${HANGING} receivers of another organization hang`;
    return [...figures, { name, unit: 's until it arrives', ours: [await waitBesideHanging(bench)] }];
  } finally {
    await receiver.stop();
    await store.close();
  }
}

interface Bench extends WebhookOptions {
  readonly store: Store;
  /** The receiver listens there. */
  readonly port: string;
  readonly pids: Readonly<Record<string, number>>;
}

/** The bare loop sends what the service has sent before it. */
async function perSecond(bench: Bench, shape: (typeof SHAPES)[number], sender: string): Promise<number> {
  const { databaseUrl, webhooks, pids, log } = bench;
  const { organizations, receivers, atOnce } = shape;
  const warmUp = Math.ceil(webhooks / 4);
  if (sender === SERVICE) {
    const each = Math.ceil((warmUp + webhooks) / organizations);
    for (let n = 1; n <= organizations; n++) {
      const targets = Array.from({ length: each }, (_, i) => `http://127.0.${n}.${1 + (i % receivers)}:${bench.port}/`);
      await storeWebhooks(bench, await insertOrganization(bench.store), targets);
    }
  }
  const options = { databaseUrl, pids, warmUp, webhooks, connections: CONNECTIONS, atOnce };
  const { perSecond: rate, cpuMs }: Measured = JSON.parse(await runProgram([sender, JSON.stringify(options)], {}));
  const parts = Object.entries(cpuMs).map(([name, ms]) => `${name} ${ms.toFixed(2)}`);
  log(
    `  ${sender === SERVICE ? 'service' : 'bare loop'}: ${rate.toFixed(0)}/s, processor ms each: ${parts.join(', ')}`,
  );
  return rate;
}

/** @returns the seconds from the commit of a webhook to its result, while each slot that the other organization gets is taken. */
async function waitBesideHanging(bench: Bench): Promise<number> {
  const { store, port, databaseUrl } = bench;
  const hanging = Array.from({ length: HANGING }, (_, n) => `http://127.0.1.${n + 1}:${port}/hang`);
  await storeWebhooks(bench, await insertOrganization(store), hanging);
  const organizationId = await insertOrganization(store);
  const sender: Program = await startProgram([SERVICE, JSON.stringify({ databaseUrl, pids: {}, ready: true })]);
  try {
    // Long enough for every slot of the first organization to be taken.
    await sleep(3_000);
    const target = `http://127.0.0.1:${port}/time`;
    const start = performance.now();
    await storeWebhooks(bench, organizationId, [target]);
    const row = store.db.selectFrom('deliveries').select('id').where('organization_id', '=', organizationId);
    const delivered = row.where('status', '=', 'delivered');
    while ((await delivered.execute()).length === 0) await sleep(10);
    return (performance.now() - start) / 1000;
  } finally {
    await sender.stop();
  }
}

async function insertOrganization({ db }: Store): Promise<string> {
  const id = randomUUID();
  const webhook_secret = sealSecret(db, `whsec_${Buffer.alloc(24, 1).toString('base64')}`, webhookSecretPlace(id));
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
