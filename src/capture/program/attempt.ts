/** The work of one attempt: renders creatives and takes pictures of pages at the same time. */
import type { Attempt, WantedPage } from '../../contract/captureProtocol.ts';
import { optionsFromJson } from '../../contract/parseParts.ts';
import { type Device, findDevice } from '../../domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../domain/screenshotOptions.ts';
import { siteKey } from '../../domain/webAddresses.ts';
import { CreativeOutcomes } from '../engine/creativeOutcomes.ts';
import type { Engine } from '../engine/engine.ts';
import { FrameStore } from '../engine/frameStore.ts';
import { defaultOpenPages } from '../engine/openPages.ts';
import { processPages } from '../engine/pageQueue.ts';
import type { PageOrder, PictureResult } from '../engine/pageTask.ts';
import { PhaseTimer } from '../engine/phaseTimer.ts';
import { asCaptureEndError, CaptureEndError, type CaptureShutdown, rejectedError } from './captureShutdown.ts';
import type { CaptureOptions } from './options.ts';
import { ProtocolClient, type ProtocolClientOptions } from './protocolClient.ts';
import { followRemoteCreatives } from './remoteCreatives.ts';
import { type NeededFrames, renderCreatives } from './renderClaims.ts';
import { ResultReporter } from './resultReporter.ts';
import { Uploader } from './uploader.ts';

export interface AttemptOptions {
  readonly attempt: Attempt;
  readonly index: number;
  readonly client: ProtocolClientOptions;
  readonly shutdown: CaptureShutdown;
  readonly options: Omit<CaptureOptions, 'env' | 'stdin' | 'signals'>;
  /** The caller closes the engine. */
  readonly getEngine: () => Promise<Engine>;
}

/** Does the open work of the attempt. An early end is in `shutdown.reason`. @throws the errors of the engine's start. */
export async function runAttempt(given: AttemptOptions): Promise<void> {
  const { attempt, index, client: clientOptions, shutdown, options } = given;
  const { log, timing, tempDir } = options;
  const client = new ProtocolClient(clientOptions, { index, attempt: attempt.attempt });
  const uploader = new Uploader(client, shutdown.abort);
  const pages = attempt.pages.map(pageOf);
  const needed = neededFrames(pages);
  const outcomes = new CreativeOutcomes();
  const store = new FrameStore({ ...(tempDir !== undefined && { tempDir }) });
  const phases = new PhaseTimer();
  const maxOpenPages = options.pagesAtOnce ?? (await defaultOpenPages());
  const engine = await given.getEngine();
  const rendering = {
    ...(timing?.idleMs !== undefined && { idleMs: timing.idleMs }),
    ...(options.creativesAtOnce !== undefined && { atOnce: options.creativesAtOnce }),
  };
  const common = { client, uploader, engine, outcomes, store, phases, shutdown, log };
  try {
    await runTogether(shutdown, [
      () => renderCreatives({ ...common, needed, ...rendering }),
      () =>
        followRemoteCreatives(needed.ads, {
          ...common,
          ...(timing?.holdMs !== undefined && { holdMs: timing.holdMs }),
        }),
      () => takePictures(pages, { ...common, maxOpenPages }),
    ]);
    if (shutdown.reason === undefined) await finish(client, phases, shutdown);
  } finally {
    await store.close();
  }
}

/** Resolves when all tasks have ended. The first that fails ends the others. */
async function runTogether(shutdown: CaptureShutdown, tasks: readonly (() => Promise<void>)[]): Promise<void> {
  await Promise.all(tasks.map((task) => task().catch((error: unknown) => shutdown.begin(asCaptureEndError(error)))));
}

interface TakePicturesOptions {
  readonly client: ProtocolClient;
  readonly uploader: Uploader;
  readonly engine: Engine;
  readonly outcomes: CreativeOutcomes;
  readonly phases: PhaseTimer;
  readonly shutdown: CaptureShutdown;
  readonly log: CaptureOptions['log'];
  readonly maxOpenPages: number;
}

async function takePictures(
  pages: readonly PageOrder[],
  { client, uploader, engine, outcomes, phases, shutdown, log, maxOpenPages }: TakePicturesOptions,
): Promise<void> {
  const reporter = new ResultReporter({ client, uploader, phases, shutdown });
  try {
    await processPages(pages, {
      engine,
      outcomes,
      phases,
      log,
      stop: shutdown.stop,
      onResult: (result: PictureResult) => reporter.add(result),
      onOpening: ({ site, device, pictures }: PageOrder) =>
        log.info(
          { site, device: device.name, screenshot_ids: pictures.map(({ id }) => id) },
          'taking the pictures of a page',
        ),
      maxOpenPages,
    });
  } catch (error) {
    shutdown.begin(asCaptureEndError(error));
  }
  await reporter.drain();
}

/** Reports the end. The last result may have settled the job already; the API then rejects the call, which does no harm. */
async function finish(client: ProtocolClient, phases: PhaseTimer, shutdown: CaptureShutdown): Promise<void> {
  try {
    await client.finish(phases.seconds(), shutdown.abort);
  } catch (error) {
    if (!(error instanceof CaptureEndError)) throw error;
  }
}

function pageOf({ site_url, device, screenshots }: WantedPage): PageOrder {
  const pictures = screenshots.map(({ id, ad_id, marker_ms, options }) => ({
    id,
    ad: ad_id,
    markerMs: marker_ms,
    options: optionsFromJson(options),
  }));
  // The API puts screenshots with another choice on another page.
  const otherAds = pictures[0]?.options.otherAds ?? DEFAULT_OPTIONS.otherAds;
  return { site: siteKey(site_url), device: deviceOf(device), otherAds, pictures };
}

function deviceOf(name: string): Device {
  const device = findDevice(name);
  if (device === undefined)
    throw rejectedError(`The internal API names the device ${name}, which this program does not know.`);
  return device;
}

function neededFrames(pages: readonly PageOrder[]): NeededFrames {
  return {
    ads: new Set(pages.flatMap(({ pictures }) => pictures.map(({ ad }) => ad))),
    ratios: new Set(pages.map(({ device }) => device.ratio)),
  };
}
