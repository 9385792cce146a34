/** One run: load, faults, wait, check. */
import { sleep } from '../../src/lib/sleep.ts';
import { startPublishers } from '../fixtures/publisherServer.ts';
import { findLosses } from './check/findings.ts';
import { waitUntilQuiet } from './check/quiet.ts';
import type { Ledger } from './ledger.ts';
import { sendOnce } from './load/client.ts';
import { Load } from './load/load.ts';
import { startReceiver } from './load/receiver.ts';
import type { ChaosOptions } from './options.ts';
import { startOutageProbe } from './outage.ts';
import { seededRandom } from './random.ts';
import { figuresOf, type RunFigures } from './report/figures.ts';
import type { ChaosTarget } from './target.ts';

/** The load starts before the first fault. */
const WARM_UP_MS = 5_000;
/** Requests without an answer are repeated for this time after the last fault. */
const LAST_ANSWERS_MS = 60_000;

export async function runTarget(
  target: ChaosTarget,
  { options, ledger, log }: { options: ChaosOptions; ledger: Ledger; log: (line: string) => void },
): Promise<RunFigures> {
  const { seed } = options;
  target.database.onRestart = (seconds) =>
    ledger.add({ kind: 'note', text: `PostgreSQL is back after ${seconds.toFixed(1)} s` });
  const { organization, publicUrl, s3, customerBucket, host, maxOpen } = target;
  const publishers = await startPublishers(host === undefined ? {} : { host });
  const receiver = await startReceiver(ledger, organization.webhook_secret, host);
  const [stop, givenUp] = [new AbortController(), new AbortController()];
  const client = { url: publicUrl, apiKey: organization.api_key, signal: givenUp.signal };
  if (s3 !== undefined) await addConnector(client, s3);
  const bucket = s3 === undefined ? undefined : customerBucket;
  const load = new Load({
    ...{ seed, ledger, client, publishers, bucket },
    webhookUrl: receiver.url,
    random: seededRandom(seed + 1),
    pageUrl: host === undefined ? publishers.url('blog') : publishers.urlByPath('blog'),
    maxOpen,
    stop: stop.signal,
  });
  receiver.onEvent((topic, object) => load.ended(topic, object));
  const started = performance.now();
  const loading = load.run();
  const probe = startOutageProbe(client, ledger);
  await sleep(WARM_UP_MS);
  log('faults begin …');
  const kills = await target.runFaults({ ...options, random: seededRandom(seed), ledger });
  const minutes = (performance.now() - started) / 60_000;
  log(`${kills} kills in ${minutes.toFixed(1)} min; the service may recover now …`);
  stop.abort();
  const timer = setTimeout(() => givenUp.abort(), LAST_ANSWERS_MS);
  await loading;
  clearTimeout(timer);
  const { seconds, left } = await waitUntilQuiet(target, options.quietMinutes);
  const longestOutageSeconds = await probe.stop();
  log(seconds === undefined ? `not quiet: ${JSON.stringify(left)}` : `quiet after ${seconds.toFixed(0)} s`);
  const state = await target.stopAndRead();
  const findings = findLosses(ledger.entries(), state);
  await Promise.all([publishers.close(), receiver.close()]);
  await target.remove(findings.length === 0);
  const [pictures, failedPictures] = [state.sets.reduce((sum, set) => sum + set.screenshots, 0), state.failed.length];
  const measured = { minutes, longestOutageSeconds, quietSeconds: seconds ?? null, findings, pictures, failedPictures };
  return figuresOf(options, ledger.entries(), { ...measured, events: state.events.length });
}

async function addConnector(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  s3: NonNullable<ChaosTarget['s3']>,
): Promise<void> {
  const { endpoint, accessKeyId, secretAccessKey } = s3;
  const keys = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
  const body = { region: 'us-east-1', endpoint, force_path_style: true, ...keys };
  const answer = await sendOnce({ method: 'PUT', path: '/connectors/s3', body }, { url, apiKey });
  if (answer.status !== 200) throw new Error(`The connector was refused: ${answer.text}`);
}
