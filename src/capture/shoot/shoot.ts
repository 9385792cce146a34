/** `tearsheet shoot`: takes placement previews without a server or a database, and writes them and their records to a folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Location, WantedLocation } from '../../contract/locations.ts';
import type { AdSize } from '../../domain/ads.ts';
import { ANIMATION_FORMATS, wantedFilms } from '../../domain/animations.ts';
import { type Device, deviceGroup } from '../../domain/devices.ts';
import type { ScreenshotOptions } from '../../domain/screenshotOptions.ts';
import { type AppliedRule, type RulePages, rulesFor } from '../../domain/siteRules.ts';
import type { Connector } from '../../egress/guard.ts';
import type { Log } from '../../lib/log.ts';
import { TaskGroup } from '../../lib/taskGroup.ts';
import type { CreativeSource } from '../creative/creative.ts';
import { CreativeOutcomes, FrameStore, storeRendering } from '../engine/creativeOutcomes.ts';
import { type Engine, startEngine } from '../engine/engine.ts';
import { defaultOpenPages, processPages } from '../engine/pageQueue.ts';
import { type PageOrder, PhaseTimer, type PictureResult, type WantedPicture } from '../engine/pageTask.ts';
import { drawSlots } from './drawSlots.ts';
import {
  contactSheet,
  type PictureLine,
  pageFileOf,
  pictureFileName,
  pictureLine,
  type SheetEntry,
  sheetEntry,
  textLine,
} from './shootOutput.ts';

/** An ad of the command line. */
export interface ShootAd {
  /** As typed, for the output. */
  readonly given: string;
  readonly source: CreativeSource;
}

export interface ShootOptions {
  readonly ads: readonly ShootAd[];
  /** Absolute URLs. */
  readonly sites: readonly string[];
  readonly devices: readonly Device[];
  /** Milliseconds; null is the default frame. */
  readonly markers: readonly (number | null)[];
  readonly out: string;
  /** Ranges that are allowed although they are not public. */
  readonly allow: readonly string[];
  /** Overrides what the ads declare. */
  readonly adSize: AdSize | undefined;
  readonly options: ScreenshotOptions;
  /** All pages are opened there. */
  readonly located?: { readonly location: Location; readonly connector: Connector } | undefined;
  /** Each page gets those that match it. */
  readonly rules?: readonly (AppliedRule & RulePages)[];
  readonly json: boolean;
  readonly chromiumPath: string;
}

export interface ShootIo {
  /** Prints a line to standard output. */
  readonly print: (line: string) => void;
  /** Prints a line to standard error. */
  readonly printProgress: (line: string) => void;
  readonly log: Log;
  /** Ends the run. Pictures that were taken before stay. */
  readonly signal: AbortSignal;
  readonly startEngine?: typeof startEngine;
}

export const SHOOT_EXIT = { placed: 0, notAllPlaced: 3, interrupted: 130 } as const;

const MAX_RENDERINGS = 2;
const CONTACT_SHEET = 'contact-sheet.html';

/** @returns the exit code. @throws EngineStartError, errors of the file system. */
export function shoot(options: ShootOptions, io: ShootIo): Promise<number> {
  return withEngine(options, io, (parts) => new ShootRun(options, parts).run());
}

export function locationOf({ located }: Pick<ShootOptions, 'located'>): WantedLocation | undefined {
  return located && { id: located.location.id, profile: located.location };
}

export function rulesOf({ rules = [] }: Pick<ShootOptions, 'rules'>, url: string, device: Device): AppliedRule[] {
  return rulesFor(rules, { url, device: deviceGroup(device) });
}

/** Makes the folder and starts what a run needs, and closes it afterwards. */
export async function withEngine(
  { chromiumPath, allow, out, located }: Pick<ShootOptions, 'chromiumPath' | 'allow' | 'out' | 'located'>,
  io: ShootIo,
  work: (parts: ShootParts) => Promise<number>,
): Promise<number> {
  await mkdir(out, { recursive: true });
  const engine = await (io.startEngine ?? startEngine)({
    chromiumPath,
    allow,
    allowWith: 'flag',
    connectorOf: located && (() => located.connector),
    log: io.log,
  });
  const store = new FrameStore();
  try {
    return await work({ io, engine, store });
  } catch (error) {
    if (io.signal.aborted) return SHOOT_EXIT.interrupted;
    throw error;
  } finally {
    await engine.close();
    await store.close();
  }
}

export interface ShootParts {
  readonly io: ShootIo;
  readonly engine: Engine;
  readonly store: FrameStore;
}

class ShootRun {
  readonly #options: ShootOptions;
  readonly #tools: ShootParts;
  readonly #outcomes = new CreativeOutcomes();
  /** A failure of rendering ends the pages, and vice versa. */
  readonly #failure = new AbortController();
  readonly #entries: SheetEntry[] = [];
  #failedCount = 0;
  #numbered = 0;

  constructor(options: ShootOptions, tools: ShootParts) {
    this.#options = options;
    this.#tools = tools;
  }

  async run(): Promise<number> {
    const works = [this.#renderAll(), this.#takePictures()];
    for (const work of works) work.catch((error: unknown) => this.#failure.abort(error));
    await Promise.allSettled(works);
    // Written also after an interruption, for the pictures that were taken before.
    const sheet = await this.#writeContactSheet();
    this.#tools.io.signal.throwIfAborted();
    if (this.#failure.signal.aborted) throw this.#failure.signal.reason;
    const { printProgress } = this.#tools.io;
    const total = this.#numbered;
    printProgress(`${total - this.#failedCount} of ${total} placement previews taken, in ${this.#options.out}`);
    printProgress(`contact sheet: ${sheet}`);
    return this.#failedCount === 0 ? SHOOT_EXIT.placed : SHOOT_EXIT.notAllPlaced;
  }

  get #stop(): AbortSignal {
    return AbortSignal.any([this.#tools.io.signal, this.#failure.signal]);
  }

  async #renderAll(): Promise<void> {
    const rendering = new TaskGroup(MAX_RENDERINGS);
    for (const ad of this.#options.ads) await rendering.add(() => this.#render(ad));
    await rendering.drain();
  }

  async #render({ given, source }: ShootAd): Promise<void> {
    const { io, engine, store } = this.#tools;
    const { markers, devices, adSize } = this.#options;
    io.printProgress(`rendering ${shortened(given)}`);
    const ratios = [...new Set(devices.map(({ ratio }) => ratio))];
    const { animation } = this.#options.options;
    const films = wantedFilms(ratios.map((ratio) => ({ animation, ratio })));
    const result = await engine.render(source, { markers, ratios, films, size: adSize, signal: this.#stop });
    if (result.status !== 'uploaded') {
      io.printProgress(`${shortened(given)}: ${result.status}: ${result.reason}`);
      this.#outcomes.resolve(given, { status: 'failed', reason: result.reason });
      return;
    }
    io.printProgress(`${shortened(given)}: ${result.format}, ${result.width}×${result.height}, ${result.mode}`);
    this.#outcomes.resolve(given, await storeRendering(result, store));
  }

  async #takePictures(): Promise<void> {
    const { sites, devices, options } = this.#options;
    const { engine, io } = this.#tools;
    const pages = sites.flatMap((site) =>
      devices.map((device) => ({
        site,
        device,
        otherAds: options.otherAds,
        group: options.group,
        location: locationOf(this.#options),
        rules: rulesOf(this.#options, site, device),
        pictures: this.#pictures({ site, device }),
      })),
    );
    await processPages(pages, {
      engine,
      outcomes: this.#outcomes,
      phases: new PhaseTimer(),
      log: io.log,
      stop: this.#stop,
      onResult: (result, page) => this.#writeResult(result, page),
      onOpening: ({ site, device }) => io.printProgress(`opening ${site} as ${device.name}`),
      maxOpenPages: await defaultOpenPages(),
    });
  }

  #pictures({ site, device }: Pick<PageOrder, 'site' | 'device'>): WantedPicture[] {
    const { ads, markers, options } = this.#options;
    return ads.flatMap(({ given }) =>
      markers.map((markerMs) => {
        this.#numbered += 1;
        return {
          id: pictureFileName(this.#numbered, { site, device, ad: shortened(given), markerMs }),
          ad: given,
          markerMs,
          options,
        };
      }),
    );
  }

  async #writeResult(result: PictureResult, page: PageOrder): Promise<void> {
    const { print } = this.#tools.io;
    const line = pictureLine(result, page, {
      file: await this.#writeFiles(result),
      page: await this.#writePage(result),
    });
    this.#entries.push(sheetEntry(result, line));
    if (result.status !== 'uploaded') this.#failedCount += 1;
    print(this.#options.json ? JSON.stringify(line satisfies PictureLine) : textLine(line));
  }

  /** @returns the path of the sheet. */
  async #writeContactSheet(): Promise<string> {
    const file = path.join(this.#options.out, CONTACT_SHEET);
    // Pictures arrive in any order; their names begin with their numbers.
    const entries = this.#entries.toSorted((one, two) => (one.id < two.id ? -1 : 1));
    await writeFile(file, contactSheet('Contact sheet', entries));
    return file;
  }

  /** Writes what the page showed, with its slots, if the picture failed. @returns the path, or null. */
  async #writePage(result: PictureResult): Promise<string | null> {
    if (result.status === 'uploaded' || result.page === undefined) return null;
    const file = path.join(this.#options.out, pageFileOf(result.wanted.id));
    await writeFile(file, await drawSlots(result.page, result.record.candidates));
    return file;
  }

  /** Writes the record, and the picture if there is one. @returns the path of the picture, or null. */
  async #writeFiles(result: PictureResult): Promise<string | null> {
    const file = path.join(this.#options.out, result.wanted.id);
    await writeFile(file.replace(/\.png$/, '.json'), `${JSON.stringify(result.record, null, 2)}\n`);
    if (result.status !== 'uploaded') return null;
    await writeFile(file, result.picture.png);
    for (const format of result.animation === undefined ? [] : ANIMATION_FORMATS)
      await writeFile(file.replace(/\.png$/, `.${format}`), result.animation?.[format].bytes ?? '');
    return file;
  }
}

/** Shortens the ad for one line, because a tag may be long. */
export function shortened(given: string): string {
  const line = given.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
