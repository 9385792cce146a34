import { RenderingBlockedError } from '../browser/renderingBlocked.ts';
import type { SteppedPage } from '../browser/steppedPage.ts';
import { CreativeError } from './creativeError.ts';
import type { FramesByMarker } from './renderPage.ts';
import type { Size } from './size.ts';
import { FIRST_MS } from './timeSteps.ts';

export interface VideoFacts extends Size {
  /** Infinity when the file does not say. */
  readonly durationMs: number;
}

/** In real time, for decoding one moment. */
const DECODE_TIMEOUT_MS = 10_000;
const DEFAULT_MARKER_MS = 3_000;
const DEFAULT_PART = 0.25;

/** Waits for the metadata. @throws CreativeFailure when no track of it can be decoded. */
export async function readVideo(page: SteppedPage): Promise<VideoFacts> {
  const state = await advanceUntil(page, 'video?.error || video?.readyState >= 2', 'reading its header');
  if (state.error !== '' || !(state.width > 0))
    throw new CreativeError(
      'generic_error',
      `The video cannot be played: no track of it can be decoded${state.error && ` (${state.error})`}.`,
    );
  return { width: state.width, height: state.height, durationMs: state.duration * 1000 };
}

/** Takes all pictures of an opened video page, each sought exactly. */
export async function renderVideoFrames(
  page: SteppedPage,
  markers: readonly (number | null)[],
): Promise<FramesByMarker> {
  const { durationMs } = await readVideo(page);
  const pictures = new Map<number | null, Buffer>();
  for (const marker of markers) {
    const moment = Math.min(marker ?? Math.min(DEFAULT_MARKER_MS, durationMs * DEFAULT_PART), durationMs);
    await seek(page, moment / 1000);
    pictures.set(marker, await page.picture());
  }
  return pictures;
}

async function seek(page: SteppedPage, seconds: number): Promise<void> {
  await page.evaluate(`(() => {
    const video = document.querySelector('video');
    const seen = globalThis.seen = { time: undefined };
    const note = (_, { mediaTime }) => { seen.time = mediaTime; if (globalThis.seen === seen) video.requestVideoFrameCallback(note); };
    video.requestVideoFrameCallback(note);
    video.currentTime = ${seconds};
  })()`);
  await advanceUntil(
    page,
    `video.error || (!video.seeking && video.readyState >= 2 && globalThis.seen.time <= ${seconds} + 0.05)`,
    `seeking ${seconds} s`,
  );
}

interface VideoState {
  readonly done: boolean;
  readonly error: string;
  readonly width: number;
  readonly height: number;
  readonly duration: number;
}

/** Draws frames until `condition` holds, 1 ms of the page's time each; decoding goes on in real time meanwhile. */
async function advanceUntil(page: SteppedPage, condition: string, doing: string): Promise<VideoState> {
  const end = performance.now() + DECODE_TIMEOUT_MS;
  do {
    await page.advance(FIRST_MS);
    const state = (await page.evaluate(`(() => {
      const video = document.querySelector('video');
      return { done: Boolean(${condition}), error: video?.error ? video.error.message || 'code ' + video.error.code : '',
        width: video?.videoWidth ?? 0, height: video?.videoHeight ?? 0, duration: Number.isFinite(video?.duration) ? video.duration : 1e9 };
    })()`)) as VideoState | undefined;
    if (state?.done) return state;
  } while (performance.now() < end);
  throw new RenderingBlockedError('no_picture', `The video did not come to a picture (${doing}).`);
}
