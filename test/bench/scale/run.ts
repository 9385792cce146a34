/**
 * `node test/bench/scale/run.ts [sets] [minutes]`: runs `sets` ScreenshotJobs (10,000 unless given) of three organizations,
 * one of which floods, through a real API server and the compiled controller. Captures are simulated. When all have settled,
 * it writes docs/images/scale.svg and the section "Many jobs" of docs/performance.md. `minutes` (30 unless given) is its deadline.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../../src/store/database/database.ts';
import { readInstallation } from '../../../src/store/installation/installation.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { load } from '../machine.ts';
import { withSection } from '../sections.ts';
import { startPlayer } from './player.ts';
import { type Sample, takeSample } from './samples.ts';
import { outcomeOf, sectionOf } from './section.ts';
import { type Organization, openStand, type Stand } from './stand.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const REPORT = path.join(ROOT, 'docs/performance.md');
const PLOT = path.join(ROOT, 'docs/images/scale.svg');
const LIMITS = { maxPods: 60, finished: 1_000 };
const SAMPLE_MS = 3_000;
/** A shorter run only tries the benchmark and writes nothing. */
const FEWEST = 1_000;
const ASKING_AT_ONCE = 12;

const [sets = '10000', minutes = '30'] = process.argv.slice(2);
const total = Number(sets);
/** The first one requests all its sets before the others request any. */
const SHARES = { flood: 0.8, second: 0.1, third: 0.1 } as const;

async function ask(stand: Stand, { organization, api_key }: Organization, count: number): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const name = `${organization} ${next++}`;
      const media = { type: 'html_tag', content: `<b>${name}</b>` };
      const screenshots = [{ site: { url: 'https://one.example/' }, device: { name: 'desktop' } }];
      const response = await fetch(`${stand.apiUrl}/api/v1/orgs/${organization}/screenshot_requests`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          campaign: { name: `Campaign ${next % 50}` },
          screenshot_requests: [{ ad: { name, lookup_key: name, media }, screenshots }],
        }),
        signal: AbortSignal.timeout(60_000),
      });
      if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: ASKING_AT_ONCE }, worker));
}

async function main(): Promise<void> {
  const stand = await openStand(LIMITS);
  // A signal, too, ends everything that the benchmark started.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void stand.close().finally(() => process.exit(1)));
  try {
    const organizations: Organization[] = [];
    for (const slug of Object.keys(SHARES)) organizations.push(await stand.createOrganization(slug));
    const store = openStore({ url: stand.databaseUrl, keyRing: TEST_KEY_RING });
    const { secret } = await readInstallation(store.db);
    await store.close();
    const player = startPlayer(stand.core, secret);
    const began = performance.now();
    const asking = (async () => {
      for (const [index, share] of Object.values(SHARES).entries()) {
        const organization = organizations[index];
        if (organization !== undefined) await ask(stand, organization, Math.round(total * share));
      }
      return (performance.now() - began) / 1000;
    })();
    asking.catch(() => undefined);
    const samples = await watch(stand, began, player);
    const accepted = await asking;
    await player.stop();
    for (const [fault, count] of player.faults) console.log(`  simulated captures failed ${count} times: ${fault}`);
    const outcome = outcomeOf(samples, { total, accepted, shares: SHARES, ...LIMITS });
    console.log(outcome.lines.join('\n'));
    if (samples.at(-1)?.settled !== total)
      throw new Error(`Only ${samples.at(-1)?.settled} of ${total} settled in ${minutes} min.`);
    if (total < FEWEST) return;
    await mkdir(path.dirname(PLOT), { recursive: true });
    await writeFile(PLOT, outcome.plot);
    const report = await readFile(REPORT, 'utf8');
    await writeFile(REPORT, withSection(report, 'test/bench/scale/run.ts', sectionOf(outcome.lines)));
  } finally {
    await stand.close();
  }
}

async function watch(stand: Stand, began: number, player: { played: number }): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const end = began + Number(minutes) * 60_000; performance.now() < end; ) {
    const sample = await takeSample(stand, began);
    samples.push(sample);
    if (samples.length % 5 === 1) {
      const { seconds, settled, memoryMiB, resources, jobs } = sample;
      console.log(
        `${seconds.toFixed(0).padStart(4)} s  ${settled} settled, ${player.played} captures played, controller ${memoryMiB.toFixed(0)} MiB, ${resources} ScreenshotJobs and ${jobs} Jobs in the cluster (load ${load()})`,
      );
    }
    if (sample.settled === total) break;
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
  }
  return samples;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`scale: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
