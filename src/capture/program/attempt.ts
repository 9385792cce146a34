/** The work of one attempt: creatives and pages side by side. */
import type { Attempt, WantedPage } from '../../contract/captureProtocol.ts';
import { type Device, findDevice } from '../../domain/devices.ts';
import { siteKey } from '../../domain/webAddresses.ts';
import { CreativeBoard } from '../engine/creativeBoard.ts';
import type { Engine } from '../engine/engine.ts';
import { FrameStore } from '../engine/frameStore.ts';
import type { PageToTake, PictureResult } from '../engine/pagePictures.ts';
import { takePages } from '../engine/pageQueue.ts';
import { Phases } from '../engine/phases.ts';
import { renderCreatives, type Shown } from './claims.ts';
import { CaptureEnd, type Ending, endOf, refused } from './ending.ts';
import type { CaptureOptions } from './options.ts';
import { followOthers } from './othersCreatives.ts';
import { ProtocolClient, type ProtocolClientOptions } from './protocolClient.ts';
import { ResultReporter } from './resultReporter.ts';
import { Uploader } from './uploader.ts';

export interface AttemptOptions {
  readonly attempt: Attempt;
  readonly index: number;
  readonly client: ProtocolClientOptions;
  readonly ending: Ending;
  readonly options: Omit<CaptureOptions, 'env' | 'stdin' | 'signals' | 'complain'>;
}

/** A page is waited for more than it is worked on. */
const PAGES_AT_ONCE = 2;

/** Does what is lacking. Its end, if it has one before that, is in `ending`. @throws what starting the engine throws. */
export async function runAttempt(given: AttemptOptions): Promise<void> {
  const { attempt, index, client: access, ending, options } = given;
  const { log, timing, tempDir } = options;
  const client = new ProtocolClient(access, { index, attempt: attempt.attempt });
  const uploader = new Uploader(client, ending.hard);
  const pages = attempt.pages.map(pageOf);
  const shown = shownOn(pages);
  const board = new CreativeBoard();
  const store = new FrameStore({ ...(tempDir !== undefined && { tempDir }) });
  const phases = new Phases();
  const engine = await options.startEngine();
  const rendering = {
    ...(timing?.idleMs !== undefined && { idleMs: timing.idleMs }),
    ...(options.creativesAtOnce !== undefined && { atOnce: options.creativesAtOnce }),
  };
  const common = { client, uploader, engine, board, store, phases, ending, log };
  try {
    await sideBySide(ending, [
      () => renderCreatives({ ...common, shown, ...rendering }),
      () => followOthers(shown.ads, { ...common, ...(timing?.holdMs !== undefined && { holdMs: timing.holdMs }) }),
      () => takeAll(pages, { ...common, pagesAtOnce: options.pagesAtOnce ?? PAGES_AT_ONCE }),
    ]);
    if (ending.reason === undefined) await finish(client, phases, ending);
  } finally {
    await engine.close();
    await store.close();
  }
}

/** Resolves when all have ended; the first that fails ends the others. */
async function sideBySide(ending: Ending, works: readonly (() => Promise<void>)[]): Promise<void> {
  await Promise.all(works.map((work) => work().catch((error: unknown) => ending.end(endOf(error)))));
}

interface TakeTools {
  readonly client: ProtocolClient;
  readonly uploader: Uploader;
  readonly engine: Engine;
  readonly board: CreativeBoard;
  readonly phases: Phases;
  readonly ending: Ending;
  readonly log: CaptureOptions['log'];
  readonly pagesAtOnce: number;
}

async function takeAll(
  pages: readonly PageToTake[],
  { client, uploader, engine, board, phases, ending, log, pagesAtOnce }: TakeTools,
): Promise<void> {
  const reporter = new ResultReporter({ client, uploader, phases, ending });
  try {
    const emit = (result: PictureResult) => reporter.add(result);
    const opening = ({ site, device, pictures }: PageToTake) =>
      log.info({ site, device: device.name, pictures: pictures.length }, 'taking the pictures of a page');
    await takePages(pages, { engine, board, phases, log, stop: ending.stop, emit, opening, atOnce: pagesAtOnce });
  } catch (error) {
    ending.end(endOf(error));
  }
  await reporter.drain();
}

/** The last result may have settled the job: then there is nobody left to tell. */
async function finish(client: ProtocolClient, phases: Phases, ending: Ending): Promise<void> {
  try {
    await client.finish(phases.seconds(), ending.hard);
  } catch (error) {
    if (!(error instanceof CaptureEnd)) throw error;
  }
}

function pageOf({ site_url, device, screenshots }: WantedPage): PageToTake {
  const pictures = screenshots.map(({ id, ad_id, marker_ms }) => ({ id, ad: ad_id, markerMs: marker_ms }));
  return { site: siteKey(site_url), device: deviceOf(device), pictures };
}

function deviceOf(name: string): Device {
  const device = findDevice(name);
  if (device === undefined) throw refused(`There is no device called ${name}.`);
  return device;
}

function shownOn(pages: readonly PageToTake[]): Shown {
  return {
    ads: new Set(pages.flatMap(({ pictures }) => pictures.map(({ ad }) => ad))),
    ratios: new Set(pages.map(({ device }) => device.ratio)),
  };
}
