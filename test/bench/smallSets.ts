/** Many sets of one picture beside one set of as many pages, both in `tearsheet dev`: pictures a second, and processor seconds a picture. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CREATIVES } from '../fixtures/media/creatives.ts';
import { startPublishers } from '../fixtures/publisherServer.ts';
import { askService, type BenchService } from './benchService.ts';
import type { Figure } from './figure.ts';
import { meterProcessTree, type ProcessTreeMeter } from './processTree.ts';
import { CLI, startProgram } from './program.ts';
import { startSites } from './sites.ts';

export interface SmallSetsOptions {
  readonly rounds: number;
  readonly sets: number;
}

interface Cost {
  readonly perSecond: number;
  readonly cpuSeconds: number;
}

const POLL_MS = 50;
const DEADLINE_MS = 300_000;
const ENDED = new Set(['approved', 'rejected', 'failed', 'canceled', 'in_review']);
/** Longer than a capture stays warm, so that each side starts cold. */
const REST_MS = 15_000;

export async function measureSmallSets({ rounds, sets }: SmallSetsOptions): Promise<Figure[]> {
  const data = await mkdtemp(path.join(tmpdir(), 'tearsheet-bench-'));
  // PostgreSQL's account needs access, because its data is in this folder and is removed with it.
  await chmod(data, 0o755);
  const publishers = await startPublishers();
  const sites = await startSites(sets, publishers.cdn);
  const args = [CLI, 'dev', '--json', '--port', '0', '--data', data, '--allow', '127.0.0.0/8'];
  const program = await startProgram(args, { env: { LOG_LEVEL: 'warn' }, ready: (line) => line.includes('"api_key"') });
  const meter = meterProcessTree(program.pid);
  try {
    const service = JSON.parse(program.line) as BenchService;
    const bench = { service, meter, cdn: publishers.cdn };
    await measure(bench, [sites.urls.slice(0, 1)]);
    const seen = { small: [] as Cost[], large: [] as Cost[] };
    for (let round = 0; round < rounds; round++) {
      const sides = [
        async () =>
          seen.small.push(
            await measure(
              bench,
              sites.urls.map((url) => [url]),
            ),
          ),
        async () => seen.large.push(await measure(bench, [sites.urls])),
      ];
      for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
    }
    return figuresOf(sets, seen);
  } finally {
    meter.stop();
    await program.stop();
    await sites.close();
    await publishers.close();
    await rm(data, { recursive: true, force: true });
  }
}

function figuresOf(sets: number, seen: { readonly small: readonly Cost[]; readonly large: readonly Cost[] }): Figure[] {
  const name = `${sets} sets of one picture, \`tearsheet dev\``;
  const other = `one set of ${sets} pages`;
  return [
    {
      name,
      unit: 'sets/s',
      ours: seen.small.map(({ perSecond }) => perSecond),
      other: { name: `${other}, pages/s`, values: seen.large.map(({ perSecond }) => perSecond) },
    },
    {
      name,
      unit: 'processor seconds a picture',
      ours: seen.small.map(({ cpuSeconds }) => cpuSeconds),
      other: { name: other, values: seen.large.map(({ cpuSeconds }) => cpuSeconds) },
      aim: { at: 'most', value: 2 },
    },
  ];
}

interface Bench {
  readonly service: BenchService;
  readonly meter: ProcessTreeMeter;
  readonly cdn: string;
}

/** Requests one set for each list of sites, and waits until all have ended. */
async function measure({ service, meter, cdn }: Bench, sets: readonly (readonly string[])[]): Promise<Cost> {
  const pictures = sets.flat().length;
  const [cpuBefore, start] = [meter.cpuSeconds(), performance.now()];
  const requested = sets.map((sites) =>
    askService<{ id: string }>(service, '/screenshot_requests', requestOn(sites, cdn)),
  );
  const open = new Set((await Promise.all(requested)).map(({ id }) => id));
  while (open.size > 0) {
    if (performance.now() > start + DEADLINE_MS) throw new Error(`${open.size} sets have not ended in time.`);
    for (const id of [...open])
      if (await hasEnded(service, id)) open.delete(id);
      else break;
    await sleep(POLL_MS);
  }
  const seconds = (performance.now() - start) / 1000;
  await sleep(REST_MS);
  return { perSecond: pictures / seconds, cpuSeconds: (meter.cpuSeconds() - cpuBefore) / pictures };
}

function requestOn(sites: readonly string[], cdn: string): object {
  const image = CREATIVES.find(({ mediaKind }) => mediaKind === 'jpeg');
  if (image === undefined) throw new Error('There is no image among the creatives.');
  const media = { type: image.type, content: image.content(cdn) };
  const screenshots = sites.map((url) => ({ site: { url }, device: { name: 'desktop' } }));
  return { campaign: { name: 'Bench' }, screenshot_requests: [{ ad: { name: image.name, media }, screenshots }] };
}

/** @throws Error if a picture failed. */
async function hasEnded(service: BenchService, id: string): Promise<boolean> {
  const set = await askService<{ status: string; screenshots: { status: string }[] }>(
    service,
    `/screenshot_sets/${id}`,
  );
  const failed = set.screenshots.find(({ status }) => status !== 'uploaded' && status !== 'pending');
  if (failed !== undefined) throw new Error(`A picture of ${id} has the status ${failed.status}.`);
  return ENDED.has(set.status);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
