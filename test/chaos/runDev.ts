/** One run against the service on this machine. */
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { sleep } from '../../src/lib/sleep.ts';
import { startPublishers } from '../fixtures/publisherServer.ts';
import { kill } from '../integration/dev/serviceFolders.ts';
import { findLosses } from './check/findings.ts';
import { waitUntilQuiet } from './check/quiet.ts';
import { readState } from './check/readState.ts';
import type { ServiceState } from './check/state.ts';
import { runFaults } from './faults/schedule.ts';
import type { Ledger } from './ledger.ts';
import { Load } from './load/load.ts';
import { startReceiver } from './load/receiver.ts';
import type { ChaosOptions } from './options.ts';
import { startOutageProbe } from './outage.ts';
import { seededRandom } from './random.ts';
import { figuresOf, type RunFigures } from './report/figures.ts';
import { type Installation, startInstallation } from './service/installation.ts';
import { findProcesses } from './service/processes.ts';

const MAX_OPEN = 10;
/** The load starts before the first fault. */
const WARM_UP_MS = 5_000;
/** Requests without an answer are repeated for this time after the last fault. */
const LAST_ANSWERS_MS = 60_000;
/** Processes that end by themselves have this time to do so. */
const PROCESSES_END_MS = 30_000;

export async function runDev(options: ChaosOptions, ledger: Ledger, log: (line: string) => void): Promise<RunFigures> {
  const { seed } = options;
  log('starting PostgreSQL, an S3 server, two APIs and a controller …');
  const installation = await startInstallation();
  log(`their files are in ${installation.root}`);
  installation.database.onRestart = (seconds) =>
    ledger.add({ kind: 'note', text: `PostgreSQL is back after ${seconds.toFixed(1)} s` });
  const { organization, publicUrl, s3, customerBucket } = installation;
  const publishers = await startPublishers();
  const receiver = await startReceiver(ledger, organization.webhook_secret);
  const [stop, givenUp] = [new AbortController(), new AbortController()];
  const client = { url: publicUrl, apiKey: organization.api_key, signal: givenUp.signal };
  if (s3 !== undefined) await addConnector(client, s3);
  const bucket = s3 === undefined ? undefined : customerBucket;
  const load = new Load({
    ...{ seed, ledger, client, publishers, bucket },
    webhookUrl: receiver.url,
    random: seededRandom(seed + 1),
    maxOpen: MAX_OPEN,
    stop: stop.signal,
  });
  receiver.onEvent((topic, object) => load.ended(topic, object));
  const started = performance.now();
  const loading = load.run();
  const probe = startOutageProbe(client, ledger);
  await sleep(WARM_UP_MS);
  log('faults begin …');
  const kills = await runFaults({ installation, random: seededRandom(seed), ledger }, options);
  const minutes = (performance.now() - started) / 60_000;
  log(`${kills} kills in ${minutes.toFixed(1)} min; the service may recover now …`);
  stop.abort();
  const timer = setTimeout(() => givenUp.abort(), LAST_ANSWERS_MS);
  await loading;
  clearTimeout(timer);
  const { seconds, left } = await waitUntilQuiet(installation, options.quietMinutes);
  const longestOutageSeconds = await probe.stop();
  log(seconds === undefined ? `not quiet: ${JSON.stringify(left)}` : `quiet after ${seconds.toFixed(0)} s`);
  const state = await stopAndRead(installation, log);
  const findings = findLosses(ledger.entries(), state);
  await Promise.all([publishers.close(), receiver.close()]);
  await removeInstallation(installation, findings.length === 0);
  const [pictures, failedPictures] = [state.sets.reduce((sum, set) => sum + set.screenshots, 0), state.failed.length];
  const measured = { minutes, longestOutageSeconds, quietSeconds: seconds ?? null, findings, pictures, failedPictures };
  return figuresOf(options, ledger.entries(), { ...measured, events: state.events.length });
}

async function addConnector(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  s3: NonNullable<Installation['s3']>,
): Promise<void> {
  const { endpoint, accessKeyId, secretAccessKey } = s3;
  const { sendOnce } = await import('./load/client.ts');
  const keys = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
  const body = { region: 'us-east-1', endpoint, force_path_style: true, ...keys };
  const answer = await sendOnce({ method: 'PUT', path: '/connectors/s3', body }, { url, apiKey });
  if (answer.status !== 200) throw new Error(`The connector was refused: ${answer.text}`);
}

/** Stops the service, and reads the state that stays. */
async function stopAndRead(installation: Installation, log: (line: string) => void): Promise<ServiceState> {
  const { leader, apis } = installation;
  await Promise.all([leader, ...apis].map((one) => one.stop()));
  const processes = await processesLeft(installation.root);
  const state = await readState(
    installation,
    processes.map(({ kind, command }) => `${kind}: ${command.slice(0, 200)}`),
  );
  for (const { pid } of processes) kill(pid);
  await installation.stop();
  log('stopped');
  return state;
}

async function processesLeft(root: string) {
  const left = () => findProcesses(root).filter(({ kind }) => kind !== 'postgres' && kind !== 's3');
  for (const end = performance.now() + PROCESSES_END_MS; performance.now() < end && left().length > 0; )
    await sleep(500);
  return left();
}

/** The logs stay if something was found. */
async function removeInstallation({ root, pictures }: Installation, everything: boolean): Promise<void> {
  await pictures.remove();
  const data = path.join(root, 'postgres');
  if (existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true, maxRetries: 5 });
  if (everything) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  else
    for (const name of readdirSync(root))
      if (!name.endsWith('.log')) rmSync(path.join(root, name), { recursive: true, force: true });
}
