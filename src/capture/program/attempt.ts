/** The work of one attempt: renders creatives and takes pictures of pages at the same time. */
import type { Attempt, ResolvedCreatives, WantedPage } from '../../contract/captureProtocol.ts';
import { optionsFromJson } from '../../contract/storedOptions.ts';
import { type Device, findDevice } from '../../domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../domain/screenshotOptions.ts';
import { siteKey } from '../../domain/webAddresses.ts';
import type { Log } from '../../lib/log.ts';
import { takeSpans } from '../../observe/tracing.ts';
import { type CreativeOutcome, CreativeOutcomes, FrameStore, renderedOutcome } from '../engine/creativeOutcomes.ts';
import type { Engine } from '../engine/engine.ts';
import { defaultOpenPages, processPages } from '../engine/pageQueue.ts';
import { type PageOrder, PhaseTimer, type PictureResult, type PlacementResult } from '../engine/pageTask.ts';
import { asCaptureEndError, CaptureEndError, type CaptureShutdown, rejectedError } from './captureShutdown.ts';
import type { ProcessorMeter } from './processorTime.ts';
import { ProtocolClient, type ProtocolClientOptions } from './protocolClient.ts';
import { type AttemptTools, type NeededFrames, renderCreatives } from './renderClaims.ts';
import { ResultReporter } from './resultReporter.ts';
import { MissingFileError, type TransportTiming } from './transport.ts';

/** How long the internal API may delay its answer until a creative is resolved. */
const HOLD_MS = 20_000;
/** Pages wait for their location for this share of the time until the deadline. The rest is for their pictures. */
const LOCATIONS_SHARE = 0.5;
/** The limit of the protocol. */
const MAX_ADS = 1_000;

type RemoteCreative = ResolvedCreatives['creatives'][number];

/** The part of `process` that the program uses. Tests replace it. */
interface CaptureSignals {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

export interface CaptureOptions {
  /** As the schema in program.ts describes. With TEARSHEET_PARENT_STDIN=1, the end of `stdin` means that the parent died. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called if there is work. */
  readonly startEngine: () => Promise<Engine>;
  readonly log: Log;
  readonly stdin?: NodeJS.ReadableStream;
  readonly signals?: CaptureSignals;
  /** Prints why the program failed. Default: standard error. */
  readonly printError?: (line: string) => void;
  readonly timing?: CaptureTiming;
  /** Creatives that are rendered at the same time, each in its own browser. Default: 2. */
  readonly creativesAtOnce?: number;
  /** Pages that are open at the same time, in one browser. Default: as defaultOpenPages gives it. */
  readonly pagesAtOnce?: number;
  /** An existing file that gets the reason of the end. */
  readonly terminationLog?: string;
  /** Not set if the capture has no container of its own. */
  readonly processor?: ProcessorMeter;
}

export interface CaptureTiming extends Partial<TransportTiming> {
  /** The time for open uploads after SIGTERM. */
  readonly graceMs?: number;
  readonly holdMs?: number;
  readonly idleMs?: number;
}

export interface AttemptOptions {
  readonly attempt: Attempt;
  readonly index: number;
  /** The time until the deadline of the attempt. */
  readonly remainingMs: number;
  readonly client: ProtocolClientOptions;
  readonly shutdown: CaptureShutdown;
  readonly options: Omit<CaptureOptions, 'env' | 'stdin' | 'signals'>;
  /** The caller closes the engine. */
  readonly getEngine: () => Promise<Engine>;
}

/** Does the open work of the attempt. An early end is in `shutdown.reason`. @throws the errors of the engine's start. */
export async function runAttempt(given: AttemptOptions): Promise<void> {
  const { attempt, index, client: clientOptions, shutdown, options } = given;
  const { log, timing } = options;
  const client = new ProtocolClient(clientOptions, { index, attempt: attempt.attempt });
  const readFile: ReadFile = (file) =>
    client.downloadUpload(file, shutdown.stop).catch((error: unknown) => {
      if (error instanceof MissingFileError) return undefined;
      throw error;
    });
  const pages = attempt.pages.map((page) => pageOf(page, readFile));
  const needed = neededFrames(pages);
  const outcomes = new CreativeOutcomes();
  const store = new FrameStore();
  const phases = new PhaseTimer();
  const maxOpenPages = options.pagesAtOnce ?? (await defaultOpenPages());
  const engine = await given.getEngine();
  const tools = { attempt, client, engine, outcomes, store, phases, shutdown, log };
  const locationsUntil = performance.now() + given.remainingMs * LOCATIONS_SHARE;
  try {
    await runTogether(shutdown, [
      () => renderCreatives({ ...tools, needed, idleMs: timing?.idleMs, atOnce: options.creativesAtOnce }),
      () => followRemoteCreatives(needed.ads, tools, timing?.holdMs),
      () => takePictures(pages, tools, { maxOpenPages, locationsUntil }),
    ]);
    if (shutdown.reason === undefined) await finish(client, { phases, processor: options.processor }, shutdown);
  } finally {
    await store.close();
  }
}

/** Resolves when all tasks have ended. The first that fails ends the others. */
async function runTogether(shutdown: CaptureShutdown, tasks: readonly (() => Promise<void>)[]): Promise<void> {
  await Promise.all(tasks.map((task) => task().catch((error: unknown) => shutdown.begin(asCaptureEndError(error)))));
}

async function takePictures(
  pages: readonly PageOrder[],
  tools: AttemptTools,
  { maxOpenPages, locationsUntil }: { readonly maxOpenPages: number; readonly locationsUntil: number },
): Promise<void> {
  const { engine, outcomes, phases, shutdown, log } = tools;
  const reporter = new ResultReporter(tools);
  try {
    await processPages(pages, {
      engine,
      outcomes,
      phases,
      log,
      stop: shutdown.stop,
      onResult: (result: PictureResult) => reporter.add(result),
      onPlacement: (result: PlacementResult) => reporter.add(result),
      onOpening: ({ site, device, pictures, placement }: PageOrder) =>
        log.info(
          { site, device: device.name, screenshot_ids: pictures.map(({ id }) => id), placement_id: placement?.id },
          'taking the pictures of a page',
        ),
      locationRetry: { until: locationsUntil },
      maxOpenPages,
    });
  } catch (error) {
    shutdown.begin(asCaptureEndError(error));
  }
  await reporter.drain();
}

/** Reports the end. The last result may have settled the job already; the API then rejects the call, which does no harm. */
async function finish(
  client: ProtocolClient,
  { phases, processor }: { readonly phases: PhaseTimer; readonly processor: ProcessorMeter | undefined },
  shutdown: CaptureShutdown,
): Promise<void> {
  try {
    const used = { phases: phases.seconds(), processor_seconds: await processor?.take(), spans: takeSpans() };
    await client.finish(used, shutdown.abort);
  } catch (error) {
    if (!(error instanceof CaptureEndError)) throw error;
  }
}

type ReadFile = (file: NonNullable<WantedPage['given']>) => Promise<Buffer | undefined>;

function pageOf(wanted: WantedPage, readFile: ReadFile): PageOrder {
  const { site_url, device, screenshots, placement, location, access, rules, given } = wanted;
  const pictures = screenshots.map(({ id, ad_id, marker_ms, options }) => ({
    id,
    ad: ad_id,
    markerMs: marker_ms,
    options: optionsFromJson(options),
  }));
  // The API puts screenshots with another choice on another page.
  const { otherAds, group, givenPage } = pictures[0]?.options ?? DEFAULT_OPTIONS;
  return {
    ...{ site: siteKey(site_url), device: deviceOf(device), otherAds, group, pictures },
    placement: placement ?? undefined,
    location: location ?? undefined,
    access: access ?? undefined,
    rules: rules ?? undefined,
    mayUseHttp: wanted.may_use_http,
    given: given && givenPage ? { ...given, id: givenPage, read: () => readFile(given) } : undefined,
  };
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

/** Ends when all of `ads` are resolved, by any capture. @throws the reason of `stop`, CaptureEndError, RetriesExhaustedError. */
async function followRemoteCreatives(ads: ReadonlySet<string>, tools: AttemptTools, holdMs = HOLD_MS): Promise<void> {
  const { client, outcomes, shutdown } = tools;
  for (;;) {
    shutdown.stop.throwIfAborted();
    const unresolved = outcomes.unresolved(ads);
    if (unresolved.length === 0) return;
    const answered = new AbortController();
    const signal = AbortSignal.any([shutdown.stop, answered.signal]);
    const allResolvedHere = allResolved(outcomes, ads, signal);
    try {
      const resolved = await Promise.race([client.wait(unresolved.slice(0, MAX_ADS), holdMs, signal), allResolvedHere]);
      for (const creative of resolved) outcomes.resolve(creative.ad_id, outcomeOf(creative, tools));
    } finally {
      answered.abort();
    }
  }
}

/** Resolves when this capture itself resolves the last ad. @throws the reason of `signal`. */
async function allResolved(board: CreativeOutcomes, ads: ReadonlySet<string>, signal: AbortSignal): Promise<[]> {
  while (board.unresolved(ads).length > 0) await board.waitForChange(signal);
  return [];
}

function outcomeOf(creative: RemoteCreative, { client, store, shutdown }: AttemptTools): CreativeOutcome {
  if (creative.status === 'failed') return { status: 'failed', reason: creative.reason };
  const { width, height, mode, category, warnings, frames, films } = creative;
  const kept = new Map<string, ReturnType<FrameStore['keep']>>();
  /** Downloads a file once. */
  const read = async ({ url, sha256 }: { url: string; sha256: string }) => {
    const file = kept.get(sha256) ?? client.download(url, sha256, shutdown.stop).then((bytes) => store.keep(bytes));
    kept.set(sha256, file);
    return (await file)();
  };
  return renderedOutcome(
    { mode, isVideo: category === 'video', warnings },
    frames.map((file) => {
      const frame = { markerMs: file.marker_ms, ratio: file.ratio, width, height };
      return { ...frame, read: async () => ({ ...frame, png: await read(file) }) };
    }),
    films.map((film) => ({
      ...film,
      read: async () => ('reason' in film ? film : { ...film, pngs: await read(film) }),
    })),
  );
}
