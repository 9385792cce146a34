/** `tearsheet shoot --candidates`: shows the slots of pages for sizes of ads, and places nothing. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SlotsRecord } from '../../contract/placements.ts';
import type { AdSize } from '../../domain/ads.ts';
import { CreativeOutcomes } from '../engine/creativeOutcomes.ts';
import { defaultOpenPages, processPages } from '../engine/pageQueue.ts';
import { type PageOrder, PhaseTimer, type PlacementResult } from '../engine/pageTask.ts';
import { drawSlots } from './drawSlots.ts';
import {
  locationOf,
  rulesOf,
  SHOOT_EXIT,
  type ShootIo,
  type ShootOptions,
  type ShootParts,
  shortened,
  withEngine,
} from './shoot.ts';
import { fileNameOf } from './shootOutput.ts';

export interface CandidatesOptions
  extends Pick<
    ShootOptions,
    'ads' | 'sites' | 'devices' | 'out' | 'allow' | 'options' | 'located' | 'rules' | 'json' | 'chromiumPath'
  > {
  /** Undefined: the sizes of the ads, which are rendered to know them. */
  readonly sizes: readonly AdSize[] | undefined;
}

/** One JSON line. It always has all keys. */
export interface CandidatesLine {
  /** As in the API. */
  readonly status: PlacementResult['status'];
  /** A picture for each size (PNG), with the slots drawn on it. */
  readonly files: readonly string[];
  readonly site: string;
  readonly device: string;
  readonly final_url: string | null;
  /** CSS pixels of the whole page. */
  readonly page: SlotsRecord['page'] | null;
  /** As in the answer of the API to a placement. */
  readonly sizes: SlotsRecord['sizes'];
  /** Why there is no picture. */
  readonly reason: string | null;
}

/** @returns the exit code. @throws EngineStartError, errors of the file system. */
export function showCandidates(options: CandidatesOptions, io: ShootIo): Promise<number> {
  return withEngine(options, io, async (parts) => {
    const sizes = options.sizes ?? (await sizesOfAds(options, parts));
    if (sizes.length === 0) return SHOOT_EXIT.notAllPlaced;
    const { out, sites, devices, json } = options;
    const { otherAds } = options.options;
    const pages = sites.flatMap((site) =>
      devices.map((device) => {
        const where = { site, device, location: locationOf(options), rules: rulesOf(options, site, device) };
        return { ...where, otherAds, pictures: [] };
      }),
    );
    const orders = pages.map((page, at) => {
      const id = fileNameOf(at + 1, [new URL(page.site).hostname, page.device.name, 'candidates']);
      return { ...page, placement: { id, sizes } };
    });
    let failedCount = 0;
    await processPages(orders, {
      engine: parts.engine,
      outcomes: new CreativeOutcomes(),
      phases: new PhaseTimer(),
      log: io.log,
      stop: io.signal,
      onResult: () => Promise.resolve(),
      async onPlacement(result, page) {
        const line = await lineOf(result, page, out);
        if (line.reason !== null) failedCount += 1;
        io.print(json ? JSON.stringify(line) : textOf(line));
      },
      onOpening: ({ site, device }) => io.printProgress(`opening ${site} as ${device.name}`),
      maxOpenPages: await defaultOpenPages(),
    });
    return failedCount === 0 ? SHOOT_EXIT.placed : SHOOT_EXIT.notAllPlaced;
  });
}

async function sizesOfAds({ ads }: CandidatesOptions, { engine, io }: ShootParts): Promise<AdSize[]> {
  const sizes = new Map<string, AdSize>();
  for (const { given, source } of ads) {
    const result = await engine.render(source, { markers: [null], ratios: [1], signal: io.signal });
    if (result.status !== 'uploaded') io.printProgress(`${shortened(given)}: ${result.status}: ${result.reason}`);
    else sizes.set(`${result.width}×${result.height}`, { width: result.width, height: result.height });
  }
  return [...sizes.values()];
}

/** Writes the pictures, if the page was opened. */
async function lineOf(result: PlacementResult, { site, device }: PageOrder, out: string): Promise<CandidatesLine> {
  const { status, wanted } = result;
  const where = { site, device: device.name };
  if (status !== 'uploaded')
    return { status, files: [], ...where, final_url: null, page: null, sizes: [], reason: result.reason };
  const files: string[] = [];
  for (const size of result.record.sizes) {
    const file = path.join(out, `${wanted.id}-${size.width}x${size.height}.png`);
    await writeFile(file, await drawSlots(result.picture, size.candidates));
    files.push(file);
  }
  return { status, files, ...where, ...result.record, reason: null };
}

/** @returns a table for people. */
function textOf({ status, site, device, files, sizes, reason }: CandidatesLine): string {
  if (reason !== null) return `${status}  ${site} as ${device}: ${reason}`;
  const tables = sizes.map(({ width, height, candidates, candidates_found: found }, at) => {
    const rows = candidates.map(({ score, box, element, problem }, index) => {
      const place = `${Math.round(box.width)}×${Math.round(box.height)} at ${Math.round(box.x)}, ${Math.round(box.y)}`;
      const fate = problem === null ? '' : `  ${problem}`;
      return `  ${String(index + 1).padStart(4)} ${score.toFixed(1).padStart(7)}  ${place.padEnd(24)} ${element}${fate}`;
    });
    return [`  ${width}×${height}: ${found} slots → ${files[at]}`, ...rows].join('\n');
  });
  return [`${status}  ${site} as ${device}`, ...tables].join('\n');
}
