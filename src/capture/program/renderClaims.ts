/** Claims creatives of the job one by one and renders a few of them at the same time. */
import {
  type Attempt,
  CAPTURE_EXIT,
  type ClaimedCreative,
  type CreativeResult,
} from '../../contract/captureProtocol.ts';
import type { WantedFrame } from '../../domain/batches.ts';
import type { Log } from '../../lib/log.ts';
import { sleep } from '../../lib/sleep.ts';
import { TaskGroup } from '../../lib/taskGroup.ts';
import { takeSpans, withSpan } from '../../observe/tracing.ts';
import { pngSize } from '../compose/pixels.ts';
import type {
  CreativeFilm,
  CreativeFrame,
  CreativeSource,
  FailedCreative,
  RenderedCreative,
} from '../creative/creative.ts';
import { type CreativeOutcomes, type FrameStore, storeRendering } from '../engine/creativeOutcomes.ts';
import type { Engine } from '../engine/engine.ts';
import type { PhaseTimer } from '../engine/pageTask.ts';
import { asCaptureEndError, CaptureEndError, type CaptureShutdown } from './captureShutdown.ts';
import type { ProtocolClient } from './protocolClient.ts';
import { MissingFileError } from './transport.ts';
import { pictureFault, upload } from './uploader.ts';

/** The tools that all parts of one attempt share. */
export interface AttemptTools {
  readonly attempt: Pick<Attempt, 'page_pictures'>;
  readonly client: ProtocolClient;
  readonly engine: Engine;
  readonly outcomes: CreativeOutcomes;
  readonly store: FrameStore;
  readonly phases: PhaseTimer;
  readonly shutdown: CaptureShutdown;
  readonly log: Log;
}

export interface RenderClaimsOptions extends AttemptTools {
  /** The frames that the pages of this index need. */
  readonly needed: NeededFrames;
  /** The pause between two calls while other captures hold all open creatives. */
  readonly idleMs?: number | undefined;
  /** Creatives that are rendered at the same time. Default: 2. */
  readonly atOnce?: number | undefined;
}

/** The ads that the pages of an index show, and the pixel ratios of its devices. */
export interface NeededFrames {
  readonly ads: ReadonlySet<string>;
  readonly ratios: ReadonlySet<number>;
}

const DEFAULT_AT_ONCE = 2;
const IDLE_MS = 2_000;

type RenderClaim = NonNullable<ClaimedCreative['creative']>;

/**
 * Ends when no creative is free and all creatives that this index needs are resolved. An index without pages waits until all
 * creatives of the job are resolved, because the captures that hold the others may crash.
 * @throws the reason of the shutdown's `stop`, CaptureEndError, RetriesExhaustedError, EngineStartError.
 */
export async function renderCreatives(tools: RenderClaimsOptions): Promise<void> {
  const rendering = new TaskGroup(tools.atOnce ?? DEFAULT_AT_ONCE);
  try {
    while (await claimNext(tools, rendering));
  } catch (error) {
    tools.shutdown.begin(asCaptureEndError(error));
    throw error;
  } finally {
    await rendering.drain();
  }
}

/** @returns false if no work is left. */
async function claimNext(tools: RenderClaimsOptions, rendering: TaskGroup): Promise<boolean> {
  const { client, shutdown, outcomes, needed } = tools;
  if (rendering.isFull) await rendering.oneDone();
  shutdown.stop.throwIfAborted();
  const isNeeded = outcomes.unresolved(needed.ads).length > 0;
  let answer: ClaimedCreative;
  try {
    // `stop` does not abort this call: if its answer were lost, no capture would render the claimed creative.
    answer = await client.claim(shutdown.abort);
  } catch (error) {
    // The last result settles the job, perhaps before this capture asks again.
    if (isSuperseded(error) && !isNeeded && rendering.size === 0) return false;
    throw error;
  }
  const { creative, unresolved } = answer;
  if (creative !== null) await startRendering(creative, tools, rendering);
  else if (rendering.size > 0) await rendering.oneDone();
  else if (unresolved === 0 || (needed.ads.size > 0 && !isNeeded)) return false;
  else await outcomes.waitForChange(shutdown.stop, tools.idleMs ?? IDLE_MS);
  return true;
}

/** @throws the failure of another creative; then this one is not rendered, so its claim is released. */
async function startRendering(creative: RenderClaim, tools: RenderClaimsOptions, rendering: TaskGroup): Promise<void> {
  try {
    await rendering.add(() => renderClaimed(creative, tools));
  } catch (error) {
    // Before the claim is released, because a superseded capture must not make that call.
    tools.shutdown.begin(asCaptureEndError(error));
    await releaseClaim(creative.ad_id, tools);
    throw error;
  }
}

function isSuperseded(error: unknown): boolean {
  return error instanceof CaptureEndError && error.exitCode === CAPTURE_EXIT.superseded;
}

async function renderClaimed(creative: RenderClaim, tools: RenderClaimsOptions): Promise<void> {
  const { client, shutdown, log } = tools;
  const { ad_id, lease_seconds } = creative;
  const rendered = new AbortController();
  const renewing = renewClaim(tools, { ad: ad_id, everyMs: (lease_seconds * 1000) / 3, until: rendered.signal });
  let isReported = false;
  try {
    shutdown.stop.throwIfAborted();
    const start = performance.now();
    const result = await render(creative, tools);
    tools.phases.add('render', performance.now() - start);
    const seconds = (performance.now() - start) / 1000;
    const uploaded = await uploadFrames(creative, result, tools);
    await client.creativeResult(ad_id, { seconds, result: uploaded, spans: takeSpans() }, shutdown.abort);
    isReported = true;
    log.info({ ad_id, status: result.status, seconds }, 'a creative was rendered');
  } catch (error) {
    // Before the claim is released, because a superseded capture must not make that call.
    shutdown.begin(asCaptureEndError(error));
    throw error;
  } finally {
    rendered.abort();
    await renewing;
    if (!isReported) await releaseClaim(ad_id, tools);
  }
}

function render(creative: RenderClaim, tools: RenderClaimsOptions) {
  const attributes = { 'tearsheet.ad_id': creative.ad_id, 'tearsheet.ad_kind': creative.kind };
  return withSpan('render', { attributes }, async (span) => {
    const result = await renderWanted(creative, tools);
    if (result.status !== 'uploaded') span.fail(result.status);
    return result;
  });
}

async function renderWanted(creative: RenderClaim, tools: RenderClaimsOptions) {
  const { ad_id, size, wanted, films, earlier_format, wants_facts } = creative;
  const { client, engine, shutdown, outcomes, needed, store } = tools;
  const markers = [...new Set(wanted.map(({ marker_ms }) => marker_ms))];
  const ratios = [...new Set(wanted.map(({ ratio }) => ratio))];
  const isWanted = (markerMs: number | null, at: number) =>
    wanted.some(({ marker_ms, ratio }) => marker_ms === markerMs && ratio === at);
  const known = { size: size ?? undefined, earlierFormat: earlier_format ?? undefined };
  const resolve = async (given: RenderedCreative | FailedCreative) => {
    const result = checkFrames(given, wanted);
    if (result.status !== 'uploaded') outcomes.resolve(ad_id, { status: 'failed', reason: result.reason });
    else if (needed.ads.has(ad_id) && outcomes.get(ad_id) === undefined) {
      outcomes.resolve(ad_id, await storeRendering(result, store, ({ ratio }) => needed.ratios.has(ratio)));
    }
    return result;
  };
  // The pages of this capture do not wait for the facts.
  const onFrames = async (rendered: RenderedCreative) => void (await resolve(rendered));
  const facts = wants_facts && { wantsFacts: true, onFrames };
  const request = { markers, ratios, isWanted, films, ...known, ...facts, signal: shutdown.stop };
  const source = await readSource(creative, { client, signal: shutdown.stop });
  return resolve('status' in source ? source : await engine.render(source, request));
}

/** Fails the creative if the renderer left out a frame, because otherwise the job would render it again and again. */
function checkFrames(result: RenderedCreative | FailedCreative, wanted: readonly WantedFrame[]) {
  if (result.status !== 'uploaded') return result;
  const tooLarge = result.frames.map(({ png }) => pictureFault(png)).find((reason) => reason !== undefined);
  if (tooLarge !== undefined) return { status: 'generic_error', reason: tooLarge } as const;
  const missing = wanted.find((frame) => frameOf(result, frame) === undefined);
  if (missing === undefined) return result;
  const reason = `The renderer made no frame at ${missing.marker_ms ?? 'the default marker'} and pixel ratio ${missing.ratio}.`;
  return { status: 'generic_error', reason } as const;
}

function frameOf({ frames }: RenderedCreative, { marker_ms, ratio }: WantedFrame): CreativeFrame | undefined {
  return frames.find((frame) => frame.markerMs === marker_ms && frame.ratio === ratio);
}

async function uploadFrames(
  { ad_id, wanted }: RenderClaim,
  result: RenderedCreative | FailedCreative,
  tools: RenderClaimsOptions,
): Promise<CreativeResult['result']> {
  if (result.status !== 'uploaded') return { status: result.status, reason: result.reason };
  const { format, category, mode, notes, warnings, width, height, facts } = result;
  const [frames, films] = await tools.phases.time('upload', () =>
    Promise.all([
      Promise.all(wanted.map((frame) => uploadFrame({ ad_id, ...frame }, frameOf(result, frame), tools))),
      Promise.all((result.films ?? []).map((film) => uploadFilm(ad_id, film, tools))),
    ]),
  );
  const described = { notes: [...notes], warnings: [...warnings], films };
  return { status: 'uploaded', format, category, mode, ...described, width, height, frames, facts };
}

async function uploadFrame(
  { ad_id, marker_ms, ratio }: WantedFrame & { ad_id: string },
  frame: CreativeFrame | undefined,
  { client, shutdown }: RenderClaimsOptions,
) {
  if (frame === undefined) throw new Error('A frame is missing although checkFrames found it.');
  const { png } = frame;
  const picture = { what: { kind: 'frame', ad_id, marker_ms, ratio }, file: png } as const;
  return { marker_ms, ratio, ...(await upload(client, picture, shutdown.abort)), ...pngSize(png) };
}

async function uploadFilm(ad_id: string, film: CreativeFilm, { client, shutdown }: RenderClaimsOptions) {
  if ('reason' in film) return film;
  const { pngs, holds, ...wanted } = film;
  const picture = { what: { kind: 'film', ad_id, ...wanted }, file: pngs } as const;
  return { ...wanted, holds: [...holds], ...(await upload(client, picture, shutdown.abort)) };
}

/** Renews the claim until `until` aborts. Rendering continues if the claim is lost, because the API accepts the first result. */
async function renewClaim(
  { client, shutdown, log }: RenderClaimsOptions,
  { ad, everyMs, until }: { ad: string; everyMs: number; until: AbortSignal },
): Promise<void> {
  const signal = AbortSignal.any([until, shutdown.abort]);
  let isHeld = true;
  while (isHeld && !signal.aborted) {
    try {
      await sleep(everyMs, signal);
      isHeld = await client.renew(ad, signal);
      if (!isHeld) log.warn({ ad_id: ad }, 'the claim on a creative was lost while it was rendered');
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CaptureEndError) shutdown.begin(error);
      // Any other error may be over when the result is sent.
      log.warn({ ad_id: ad, err: error }, 'the claim on a creative could not be renewed');
      return;
    }
  }
}

/** Releases the claim, so that other captures need not wait for the end of its lease. */
async function releaseClaim(ad: string, { client, shutdown, log }: RenderClaimsOptions): Promise<void> {
  if (shutdown.abort.aborted) return;
  try {
    await client.release(ad, shutdown.abort);
  } catch (error) {
    log.warn({ ad_id: ad, err: error }, 'a claim could not be released; its lease will expire');
  }
}

/** @returns a failed creative if the artifact store no longer has the file. @throws the errors of the protocol client. */
export async function readSource(
  { kind, content, file }: RenderClaim,
  { client, signal }: { client: Pick<ProtocolClient, 'downloadUpload'>; signal: AbortSignal },
): Promise<CreativeSource | FailedCreative> {
  if (kind !== 'upload') return { kind, content };
  // An API of an older release does not support uploads. The capture ends, and its retry reaches a newer one.
  if (file === null || file === undefined) throw new Error('The claim of an uploaded creative names no file.');
  try {
    return { kind: 'file', name: file.name, bytes: await client.downloadUpload(file, signal) };
  } catch (error) {
    if (!(error instanceof MissingFileError)) throw error;
    return { status: 'not_found', reason: `The uploaded file "${file.name}" is no longer stored. Upload it again.` };
  }
}
