/**
 * `make chaos`: loads the service, kills its parts at random moments and checks that nothing acknowledged is lost; see
 * docs/reliability.md. SEED decides the order of the kills and requests. MINUTES and KILLS end the kills. Ends with 1 if
 * something was lost.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { sleep } from '../../src/lib/sleep.ts';
import { startPublishers } from '../fixtures/publisherServer.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { AN_HOUR_LATER, findLosses, findOpenWork } from './check.ts';
import { Client, startReceiver } from './client.ts';
import { killParts } from './kills.ts';
import { type Entry, Ledger } from './ledger.ts';
import { Load } from './load.ts';
import { BUCKET, type Service, startService } from './service.ts';

/** The load starts before the first kill. */
const WARM_UP_MS = 5_000;
/** Requests without an answer are repeated for this time after the last kill. */
const LAST_ANSWERS_MS = 60_000;
/** The longest wait until nothing is left to do. */
const QUIET_MS = 10 * 60_000;
/** The APIs remove old files in this time. */
const SWEEP_MS = 3 * 60_000;
const LOOK_MS = 1_000;
const MOST_FINDINGS = 40;

const began = performance.now();
const log = (line: string) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);

async function main(): Promise<number> {
  const seed = option('SEED', Math.floor(Date.now() / 1000) % 100_000);
  const [minutes, kills] = [option('MINUTES', 10), option('KILLS', 1_000)];
  const folder = path.join(import.meta.dirname, '../../.cache/chaos', `${seed}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const ledger = new Ledger(path.join(folder, 'ledger.jsonl'));
  log(`seed ${seed}; the ledger is in ${folder}`);
  const service = await startService(log);
  const client = new Client(service.publicUrl, service.organization.api_key);
  await loadAndKill({ service, client, ledger, seed, minutes, kills });
  const findings = await check(service, client, ledger);
  findings.push(...(await service.stop()).map((one) => `left after the end: ${one}`));
  await service.remove(findings.length === 0);
  for (const kind of ['kill', 'acknowledged'] as const) log(`  ${kind}: ${counts(ledger.entries, kind)}`);
  log(`  webhooks: ${ledger.entries.filter(({ kind }) => kind === 'webhook').length}`);
  log(`  findings: ${findings.length}`);
  for (const text of findings.slice(0, MOST_FINDINGS)) log(`    ${text}`);
  return findings.length === 0 ? 0 : 1;
}

interface Run {
  readonly service: Service;
  readonly client: Client;
  readonly ledger: Ledger;
  readonly seed: number;
  readonly minutes: number;
  readonly kills: number;
}

async function loadAndKill({ service, client, ledger, seed, ...limits }: Run): Promise<void> {
  const { s3, organization } = service;
  if (s3 !== undefined) {
    const { status, text } = await client.call({ method: 'PUT', path: '/connectors/s3', body: s3.connector });
    if (status !== 200) throw new Error(`The connector was refused: ${text}`);
  }
  const [stop, giveUp] = [new AbortController(), new AbortController()];
  const publishers = await startPublishers();
  const receiver = await startReceiver(ledger, organization.webhook_secret, (topic, object) =>
    load.ended(topic, object),
  );
  const load = new Load({
    ...{ ledger, client, publishers, webhookUrl: receiver.url, bucket: s3 && BUCKET },
    ...{ random: seededRandom(seed + 1), stop: stop.signal, giveUp: giveUp.signal },
  });
  const loading = load.run();
  await sleep(WARM_UP_MS);
  log('the load runs; kills begin …');
  const done = await killParts({ ...limits, service, ledger, random: seededRandom(seed) });
  log(`${done} kills; the service may recover now …`);
  stop.abort();
  const timer = setTimeout(() => giveUp.abort(), LAST_ANSWERS_MS);
  await loading;
  clearTimeout(timer);
  // The pages and the receiver stay: open sets and deliveries need them until this process ends.
}

/** Repeats each look until it finds nothing or the time is over. @returns what was found last. */
async function check(service: Service, client: Client, ledger: Ledger): Promise<string[]> {
  const untilNothing = async (look: () => Promise<string[]>, deadlineMs: number) => {
    for (const end = performance.now() + deadlineMs; ; ) {
      const found = await look();
      if (found.length === 0 || performance.now() > end) return found;
      await sleep(LOOK_MS);
    }
  };
  const open = await untilNothing(() => findOpenWork(service), QUIET_MS);
  if (open.length > 0) return open;
  log('quiet');
  for (const statement of AN_HOUR_LATER) await service.database.rows(statement);
  // When an API starts, it removes old files, and the controller removes the folders of killed captures.
  const programs = [...service.apis, service.controller];
  for (const program of programs) program.signal('SIGTERM');
  await eventually(() => {
    if (!programs.every(({ isReady }) => isReady)) throw new Error('A program did not start again.');
  });
  return untilNothing(() => findLosses(service, client, ledger.entries), SWEEP_MS);
}

function counts(entries: readonly Entry[], kind: 'kill' | 'acknowledged'): string {
  const names = entries.flatMap((one) =>
    one.kind !== kind ? [] : one.kind === 'kill' ? [one.what] : one.kind === 'acknowledged' ? [one.operation] : [],
  );
  return [...Map.groupBy(names.toSorted(), (name) => name)].map(([name, all]) => `${name} ${all.length}`).join(', ');
}

/** @throws Error that names the invalid option. */
function option(name: string, fallback: number): number {
  const text = process.env[name] ?? '';
  const value = text === '' ? fallback : Number(text);
  if (!(value > 0)) throw new Error(`${name} is ${JSON.stringify(text)}. It must be a number above 0.`);
  return value;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
