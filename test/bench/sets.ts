/** Many sets of one picture beside one set of as many pages, in `tearsheet dev`: pictures a second, and processor seconds a picture. */
import { sleep } from '../../src/lib/sleep.ts';
import { CREATIVES } from '../fixtures/media/creatives.ts';
import { startPublishers } from '../fixtures/publisherServer.ts';
import { type Figure, inTurns } from './figures.ts';
import { ProcessTreeMeter } from './processTree.ts';
import { ask, type DevService, withDev } from './service.ts';
import { startSites } from './sites.ts';

export interface SetsOptions {
  readonly rounds: number;
  readonly sets: number;
}

interface Cost {
  readonly perSecond: number;
  readonly cpuSeconds: number;
}

const POLL_MS = 50;
const DEADLINE_MS = 300_000;
/** Longer than a capture stays warm, so that each side starts cold. */
const REST_MS = 15_000;

export async function measureSets({ rounds, sets }: SetsOptions): Promise<Figure[]> {
  const publishers = await startPublishers();
  const sites = await startSites(sets, publishers.cdn);
  try {
    return await withDev(async (service, pid) => {
      const meter = new ProcessTreeMeter(pid);
      const bench = { service, meter, cdn: publishers.cdn };
      const small = sites.urls.map((url) => [url]);
      await measure(bench, small.slice(0, 1));
      const costs = await inTurns(rounds, [() => measure(bench, small), () => measure(bench, [sites.urls])]);
      meter.stop();
      return figuresOf(sets, costs);
    });
  } finally {
    await sites.close();
    await publishers.close();
  }
}

function figuresOf(sets: number, [small = [], large = []]: readonly (readonly Cost[])[]): Figure[] {
  const name = `${sets} sets of one picture, \`tearsheet dev\``;
  const figure = (unit: string, value: (cost: Cost) => number) => ({
    ...{ name, unit, ours: small.map(value) },
    other: { name: `one set of ${sets} pages`, values: large.map(value) },
  });
  return [
    figure('pictures/s', ({ perSecond }) => perSecond),
    { ...figure('processor seconds a picture', ({ cpuSeconds }) => cpuSeconds), aim: { at: 'most', value: 2 } },
  ];
}

interface Bench {
  readonly service: DevService;
  readonly meter: ProcessTreeMeter;
  readonly cdn: string;
}

/** Requests one set for each list of sites, and waits until all have ended. */
async function measure({ service, meter, cdn }: Bench, sets: readonly (readonly string[])[]): Promise<Cost> {
  const pictures = sets.flat().length;
  const [cpuBefore, start] = [meter.cpuSeconds(), performance.now()];
  const requested = sets.map((sites) => ask<{ id: string }>(service, '/screenshot_requests', requestOn(sites, cdn)));
  for (const { id } of await Promise.all(requested)) {
    while (!(await hasEnded(service, id))) {
      if (performance.now() > start + DEADLINE_MS) throw new Error('Some sets have not ended in time.');
      await sleep(POLL_MS);
    }
  }
  const seconds = (performance.now() - start) / 1000;
  await sleep(REST_MS);
  return { perSecond: pictures / seconds, cpuSeconds: (meter.cpuSeconds() - cpuBefore) / pictures };
}

/** A request of the bundled image on these sites. */
export function requestOn(sites: readonly string[], cdn: string): object {
  const image = CREATIVES.find(({ mediaKind }) => mediaKind === 'jpeg');
  if (image === undefined) throw new Error('There is no image among the creatives.');
  const media = { type: image.type, content: image.content(cdn) };
  const screenshots = sites.map((url) => ({ site: { url }, device: { name: 'desktop' } }));
  return { campaign: { name: 'Bench' }, screenshot_requests: [{ ad: { name: image.name, media }, screenshots }] };
}

/** @throws Error if a picture failed. */
async function hasEnded(service: DevService, id: string): Promise<boolean> {
  interface Read {
    readonly status: string;
    readonly screenshots: readonly { readonly status: string }[];
  }
  const { status, screenshots } = await ask<Read>(service, `/screenshot_sets/${id}`);
  const failed = screenshots.find((one) => one.status !== 'uploaded' && one.status !== 'pending');
  if (failed !== undefined) throw new Error(`A picture of ${id} has the status ${failed.status}.`);
  return status !== 'draft' && status !== 'capturing';
}
