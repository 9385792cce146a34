/**
 * Sends the bodies of stored webhooks with undici, and does nothing else. Run as: node bareLoop.ts <options as JSON>; prints
 * the figures.
 */
import { Agent } from 'undici';
import { openStore } from '../../../src/store/database/database.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { Meter, type MeterOptions } from './measured.ts';

interface BareOptions extends MeterOptions {
  readonly databaseUrl: string;
  /** Requests at the same time, for one receiver and in all. */
  readonly connections: number;
  readonly atOnce: number;
}

const { databaseUrl, connections, atOnce, pids, ...sizes }: BareOptions = JSON.parse(process.argv[2] ?? '');
const store = openStore({ url: databaseUrl, keyRing: TEST_KEY_RING });
const waiting = await store.db
  .selectFrom('deliveries')
  .innerJoin('events', 'events.id', 'deliveries.event_id')
  .select(['events.body', 'deliveries.target'])
  .orderBy('deliveries.created_at', 'desc')
  .limit(sizes.warmUp + sizes.webhooks)
  .execute();
await store.close();
const agent = new Agent({ connections });
const meter = new Meter({ ...sizes, pids: { ...pids, sender: process.pid } });
const headers = { 'content-type': 'application/json' };

async function sendAll(): Promise<void> {
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { origin, pathname: path } = new URL(next.target);
    const { body } = await agent.request({ origin, path, method: 'POST', headers, body: next.body });
    await body.dump();
    meter.count();
  }
}

await Promise.all(Array.from({ length: atOnce }, sendAll));
console.log(JSON.stringify(await meter.done));
await agent.close();
