/** Renders the creatives and takes the pictures of a gallery with one engine, as `tearsheet shoot` does. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { CreativeOutcomes, FrameStore, storeRendering } from '../../src/capture/engine/creativeOutcomes.ts';
import { type Engine, startEngine } from '../../src/capture/engine/engine.ts';
import { defaultOpenPages, processPages } from '../../src/capture/engine/pageQueue.ts';
import { type PageOrder, PhaseTimer, type PictureResult } from '../../src/capture/engine/pageTask.ts';
import type { ProvenanceRecord } from '../../src/capture/engine/provenance.ts';
import type { CreativeFormat } from '../../src/domain/ads.ts';
import type { Device } from '../../src/domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/screenshotOptions.ts';
import type { Warning } from '../../src/domain/warnings.ts';
import type { Log } from '../../src/lib/log.ts';
import { TaskGroup } from '../../src/lib/taskGroup.ts';
import type { GalleryCreative, GalleryPage, Materials } from './materials.ts';
import { evenly, type PlannedPage, planGallery, type SizedCreative } from './plan.ts';

/** One card of the gallery. */
export interface GalleryItem {
  readonly creative: string;
  /** Null for a creative that could not be rendered. */
  readonly page: string | null;
  readonly device: string | null;
  readonly status: string;
  readonly reason: string | null;
  readonly warnings: readonly Warning[];
  readonly record: ProvenanceRecord | null;
  /** Paths in the gallery's folder; null without a picture. */
  readonly picture: {
    readonly file: string;
    readonly thumbnail: string;
    readonly width: number;
    readonly height: number;
  } | null;
}

export interface GalleryOptions {
  readonly chromiumPath: string;
  readonly devices: readonly Device[];
  /** Pictures at most. */
  readonly limit: number;
  readonly out: string;
  readonly allow: readonly string[];
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

export interface Gallery {
  readonly items: readonly GalleryItem[];
  readonly plan: readonly PlannedPage[];
}

const MAX_RENDERINGS = 2;
const NAVIGATION_TIMEOUT_MS = 15_000;
const THUMBNAIL_WIDTH = 480;

/** After `signal`, the items that exist so far are the result. @throws EngineStartError, errors of the file system. */
export async function captureGallery(
  materials: Pick<Materials, 'creatives' | 'pages'>,
  options: GalleryOptions,
): Promise<Gallery> {
  await Promise.all(['pictures', 'thumbnails'].map((name) => mkdir(path.join(options.out, name), { recursive: true })));
  const { chromiumPath, allow, log } = options;
  const settings = { navigationTimeoutMs: NAVIGATION_TIMEOUT_MS };
  const engine = await startEngine({ chromiumPath, allow, log, settings });
  const store = new FrameStore();
  const run = new GalleryRun(options, engine, store);
  try {
    await run.take(materials);
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    await engine.close();
    await store.close();
  }
  return { items: run.items.toSorted(byPage), plan: run.plan };
}

/** Creatives that were not rendered first, then by page, device and creative, so that two runs have the same order. */
function byPage(a: GalleryItem, b: GalleryItem): number {
  const keyOf = ({ page, device, creative }: GalleryItem) => [page ?? '', device ?? '', creative].join('\n');
  return keyOf(a).localeCompare(keyOf(b));
}

class GalleryRun {
  readonly items: GalleryItem[] = [];
  plan: readonly PlannedPage[] = [];
  readonly #options: GalleryOptions;
  readonly #engine: Engine;
  readonly #store: FrameStore;
  readonly #outcomes = new CreativeOutcomes();
  readonly #sized: SizedCreative[] = [];

  constructor(options: GalleryOptions, engine: Engine, store: FrameStore) {
    this.#options = options;
    this.#engine = engine;
    this.#store = store;
  }

  async take({ creatives, pages }: Pick<Materials, 'creatives' | 'pages'>): Promise<void> {
    const { limit, devices, progress } = this.#options;
    const rendering = new TaskGroup(MAX_RENDERINGS);
    for (const creative of evenly(creatives, limit)) await rendering.add(() => this.#render(creative));
    await rendering.drain();
    const inOrder = this.#sized.toSorted((a, b) => a.name.localeCompare(b.name));
    this.plan = planGallery({ pages, devices, creatives: inOrder }, limit);
    const total = this.plan.reduce((sum, { creatives: names }) => sum + names.length, 0);
    progress(`${this.#sized.length} creatives rendered; ${total} pictures on ${this.plan.length} pages and devices`);
    await this.#takePictures(total);
  }

  async #render({ name, source }: GalleryCreative): Promise<void> {
    const { devices, signal, progress } = this.#options;
    const ratios = [...new Set(devices.map(({ ratio }) => ratio))];
    const result = await this.#engine.render(source, { markers: [null], ratios, signal });
    if (result.status !== 'uploaded') {
      progress(`${name}: ${result.status}: ${result.reason}`);
      this.items.push({ ...NO_PICTURE, creative: name, status: result.status, reason: result.reason });
      return;
    }
    const { width, height } = result;
    progress(`${name}: ${result.format satisfies CreativeFormat}, ${width}×${height}, ${result.mode}`);
    this.#sized.push({ name, width, height });
    this.#outcomes.resolve(name, await storeRendering(result, this.#store));
  }

  async #takePictures(total: number): Promise<void> {
    const { signal, log, progress } = this.#options;
    const names = new Map(this.plan.map(({ page }) => [page.url, page.name]));
    const orders = this.plan.map((planned, index) => orderOf(planned, index));
    let done = 0;
    await processPages(orders, {
      engine: this.#engine,
      outcomes: this.#outcomes,
      phases: new PhaseTimer(),
      log,
      stop: signal,
      onResult: async (result, { site, device }) => {
        const page = names.get(site) ?? site;
        this.items.push({ ...(await this.#itemOf(result)), page, device: device.name });
        done += 1;
        progress(`${done} of ${total}: ${result.wanted.ad} on ${page} as ${device.name}: ${result.status}`);
      },
      onOpening: () => undefined,
      maxOpenPages: await defaultOpenPages(),
    });
  }

  async #itemOf(result: PictureResult): Promise<Omit<GalleryItem, 'page' | 'device'>> {
    const { wanted, record, status } = result;
    if (result.status !== 'uploaded')
      return { ...NO_PICTURE, creative: wanted.ad, status, reason: result.reason, record };
    const { png, width, height } = result.picture;
    const file = `pictures/${wanted.id}.png`;
    const thumbnail = `thumbnails/${wanted.id}.webp`;
    await writeFile(path.join(this.#options.out, file), png);
    const small = await sharp(png).resize({ width: THUMBNAIL_WIDTH, withoutEnlargement: true }).webp().toBuffer();
    await writeFile(path.join(this.#options.out, thumbnail), small);
    const picture = { file, thumbnail, width, height };
    return { creative: wanted.ad, status, reason: null, warnings: record.warnings, record, picture };
  }
}

const NO_PICTURE = { page: null, device: null, reason: null, warnings: [], record: null, picture: null };

function orderOf(
  { page, device, creatives }: { page: GalleryPage } & Omit<PlannedPage, 'page'>,
  index: number,
): PageOrder {
  const pictures = creatives.map((ad, place) => ({
    id: `${String(index + 1).padStart(3, '0')}-${place + 1}`,
    ad,
    markerMs: null,
    options: DEFAULT_OPTIONS,
  }));
  return { site: page.url, device, otherAds: DEFAULT_OPTIONS.otherAds, pictures };
}
