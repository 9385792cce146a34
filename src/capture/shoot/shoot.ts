/** `tearsheet shoot`: the capture engine alone, no server, no database. Pictures and their records go into a folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Device } from '../../domain/devices.ts';
import type { Log } from '../../lib/log.ts';
import { TaskGroup } from '../../lib/taskGroup.ts';
import type { CreativeSource } from '../creative/creative.ts';
import { CreativeOutcomes, storeRendering } from '../engine/creativeOutcomes.ts';
import { type Engine, startEngine } from '../engine/engine.ts';
import { FrameStore } from '../engine/frameStore.ts';
import { processPages } from '../engine/pageQueue.ts';
import type { PictureResult, WantedPicture } from '../engine/pageTask.ts';
import { PhaseTimer } from '../engine/phaseTimer.ts';
import { pictureFileName } from './shootNames.ts';
import { type PictureLine, pictureLine, textLine } from './shootOutput.ts';

/** An ad as it was asked for. */
export interface ShootAd {
  /** As typed, for reports. */
  readonly given: string;
  readonly source: CreativeSource;
}

export interface ShootOptions {
  readonly ads: readonly ShootAd[];
  /** Absolute addresses. */
  readonly sites: readonly string[];
  readonly devices: readonly Device[];
  /** Milliseconds; null is the resting picture. */
  readonly markers: readonly (number | null)[];
  readonly out: string;
  /** CIDR ranges that may be reached although they are not public. */
  readonly allow: readonly string[];
  readonly json: boolean;
  readonly chromiumPath: string;
}

export interface ShootIo {
  /** A line on standard output. */
  readonly print: (line: string) => void;
  /** A line on standard error. */
  readonly printProgress: (line: string) => void;
  readonly log: Log;
  /** Ends the work; what was taken by then stays. */
  readonly signal: AbortSignal;
  readonly startEngine?: typeof startEngine;
}

const SHOOT_EXIT = { placed: 0, notAllPlaced: 3, interrupted: 130 } as const;

const RENDERING_AT_ONCE = 2;
const PAGES_AT_ONCE = 2;

/** @returns the exit code. @throws EngineStartError, and errors of the folder. */
export async function shoot(options: ShootOptions, io: ShootIo): Promise<number> {
  const { chromiumPath, allow, out } = options;
  await mkdir(out, { recursive: true });
  const engine = await (io.startEngine ?? startEngine)({ chromiumPath, allow, log: io.log });
  const store = new FrameStore();
  try {
    return await new ShootRun(options, { io, engine, store }).run();
  } catch (error) {
    if (io.signal.aborted) return SHOOT_EXIT.interrupted;
    throw error;
  } finally {
    await engine.close();
    await store.close();
  }
}

interface ShootParts {
  readonly io: ShootIo;
  readonly engine: Engine;
  readonly store: FrameStore;
}

interface Page {
  readonly site: string;
  readonly device: Device;
}

class ShootRun {
  readonly #options: ShootOptions;
  readonly #tools: ShootParts;
  readonly #board = new CreativeOutcomes();
  /** Ends the pages when rendering breaks, and the other way round. */
  readonly #broken = new AbortController();
  #failed = 0;
  #numbered = 0;

  constructor(options: ShootOptions, tools: ShootParts) {
    this.#options = options;
    this.#tools = tools;
  }

  async run(): Promise<number> {
    const works = [this.#renderAll(), this.#takeAll()];
    for (const work of works) work.catch((error: unknown) => this.#broken.abort(error));
    await Promise.allSettled(works);
    this.#tools.io.signal.throwIfAborted();
    if (this.#broken.signal.aborted) throw this.#broken.signal.reason;
    const { printProgress } = this.#tools.io;
    const total = this.#numbered;
    printProgress(`${total - this.#failed} of ${total} pictures taken, in ${this.#options.out}`);
    return this.#failed === 0 ? SHOOT_EXIT.placed : SHOOT_EXIT.notAllPlaced;
  }

  get #stop(): AbortSignal {
    return AbortSignal.any([this.#tools.io.signal, this.#broken.signal]);
  }

  async #renderAll(): Promise<void> {
    const rendering = new TaskGroup(RENDERING_AT_ONCE);
    for (const ad of this.#options.ads) await rendering.add(() => this.#render(ad));
    await rendering.drain();
  }

  async #render({ given, source }: ShootAd): Promise<void> {
    const { io, engine, store } = this.#tools;
    const { markers, devices } = this.#options;
    io.printProgress(`rendering ${named(given)}`);
    const ratios = [...new Set(devices.map(({ ratio }) => ratio))];
    const result = await engine.render(source, { markers, ratios, signal: this.#stop });
    if (result.status !== 'uploaded') {
      io.printProgress(`${named(given)}: ${result.status}: ${result.reason}`);
      this.#board.resolve(given, { status: 'failed', reason: result.reason });
      return;
    }
    io.printProgress(`${named(given)}: ${result.format}, ${result.width}×${result.height}, ${result.mode}`);
    this.#board.resolve(given, await storeRendering(result, store));
  }

  async #takeAll(): Promise<void> {
    const { sites, devices } = this.#options;
    const { engine, io } = this.#tools;
    const pages = sites.flatMap((site) =>
      devices.map((device) => ({ site, device, pictures: this.#pictures({ site, device }) })),
    );
    await processPages(pages, {
      engine,
      outcomes: this.#board,
      phases: new PhaseTimer(),
      log: io.log,
      stop: this.#stop,
      onResult: (result, page) => this.#keep(result, page),
      onOpening: ({ site, device }) => io.printProgress(`opening ${site} as ${device.name}`),
      maxOpenPages: PAGES_AT_ONCE,
    });
  }

  #pictures({ site, device }: Page): WantedPicture[] {
    const { ads, markers } = this.#options;
    return ads.flatMap(({ given }) =>
      markers.map((markerMs) => {
        this.#numbered += 1;
        return {
          id: pictureFileName(this.#numbered, { site, device, ad: named(given), markerMs }),
          ad: given,
          markerMs,
        };
      }),
    );
  }

  async #keep(result: PictureResult, page: Page): Promise<void> {
    const { print } = this.#tools.io;
    const line = pictureLine(result, page, await this.#write(result));
    if (result.status !== 'uploaded') this.#failed += 1;
    print(this.#options.json ? JSON.stringify(line satisfies PictureLine) : textLine(line));
  }

  /** @returns the picture's path, or null where there is no picture. The record is written in both cases. */
  async #write(result: PictureResult): Promise<string | null> {
    const file = path.join(this.#options.out, result.wanted.id);
    await writeFile(file.replace(/\.png$/, '.json'), `${JSON.stringify(result.record, null, 2)}\n`);
    if (result.status !== 'uploaded') return null;
    await writeFile(file, result.picture.png);
    return file;
  }
}

/** A tag is too long for a line. */
function named(given: string): string {
  const line = given.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
