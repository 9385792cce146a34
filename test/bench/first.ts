/** Time from an accepted request to its first picture, in an idle `tearsheet dev`, and the phases of that time. */
import { sleep } from '../../src/lib/sleep.ts';
import { type Publishers, startPublishers } from '../fixtures/publisherServer.ts';
import { type Figure, median } from './figures.ts';
import { ask, type DevService, withDev } from './service.ts';
import { requestOn } from './sets.ts';

const POLL_MS = 20;
const DEADLINE_MS = 60_000;
/** A pause, so that no work of the previous request is still ending. */
const REST_MS = 1_500;

export async function measureFirst(rounds: number): Promise<Figure[]> {
  const publishers = await startPublishers();
  try {
    return await withDev(async (service) => {
      await round(service, publishers);
      const seen: Round[] = [];
      for (let index = 0; index < rounds; index++) seen.push(await round(service, publishers));
      const ours = seen.map(({ seconds }) => seconds);
      const name = 'from 202 to the first picture, one image on one page, `tearsheet dev`';
      return [{ name, unit: 's', ours }, ...phaseFigures(seen)];
    });
  } finally {
    await publishers.close();
  }
}

/** Phases overlap, and no phase includes the start of the program. */
function phaseFigures(rounds: readonly Round[]): Figure[] {
  const names = [...new Set(rounds.flatMap(({ phases }) => Object.keys(phases)))];
  return names
    .map((name) => ({ name: `its phase \`${name}\``, unit: 's', ours: rounds.map(({ phases }) => phases[name] ?? 0) }))
    .filter(({ ours }) => median(ours) > 0);
}

interface Round {
  readonly seconds: number;
  readonly phases: Readonly<Record<string, number>>;
}

async function round(service: DevService, publishers: Publishers): Promise<Round> {
  const before = await phaseSums(service);
  const request = requestOn([publishers.url('news')], publishers.cdn);
  const set = await ask<{ id: string }>(service, '/screenshot_requests', request);
  const start = performance.now();
  await pictured(service, set.id, start + DEADLINE_MS);
  const seconds = (performance.now() - start) / 1000;
  await sleep(REST_MS);
  const after = Object.entries(await phaseSums(service));
  return { seconds, phases: Object.fromEntries(after.map(([phase, sum]) => [phase, sum - (before[phase] ?? 0)])) };
}

async function pictured(service: DevService, id: string, endsAt: number): Promise<void> {
  while (performance.now() < endsAt) {
    const set = await ask<{ screenshots: { status: string }[] }>(service, `/screenshot_sets/${id}`);
    const status = set.screenshots[0]?.status;
    if (status === 'uploaded') return;
    if (status !== 'pending') throw new Error(`The picture has the status ${status}.`);
    await sleep(POLL_MS);
  }
  throw new Error(`There was no picture after ${DEADLINE_MS / 1000} s.`);
}

async function phaseSums({ metrics_url }: DevService): Promise<Record<string, number>> {
  const response = await fetch(metrics_url, { signal: AbortSignal.timeout(30_000) });
  const sums = (await response.text()).matchAll(/^tearsheet_capture_phase_seconds_sum\{phase="(\w+)"\} (\S+)$/gm);
  return Object.fromEntries([...sums].map(([, phase, sum]) => [phase, Number(sum)]));
}
