import { sleep } from '../../lib/sleep.ts';
import { RenderingBlockedError } from '../browser/renderingBlocked.ts';
import type { SteppedPage } from '../browser/steppedPage.ts';
import { CreativeError } from './creativeError.ts';
import type { FramesByMarker } from './renderPage.ts';
import type { Size } from './size.ts';
import { isUniform } from './stillImage.ts';

export interface VideoFacts extends Size {
  /** Very large if the file does not declare it. */
  readonly durationMs: number;
}

/** The step of the page's time between two frames. */
const STEP_MS = 1;
/** A film may really begin with one colour, or stand still between two markers. */
const MAX_DRAWS = 12;
/** Real time for the compositor after the first draw. It grows by as much with each further one. */
const PAUSE_MS = 10;
/** Real time for decoding one frame. */
const DECODE_TIMEOUT_MS = 10_000;
/** The default frame of a video is at a quarter of its duration, at most at this time. */
const MAX_DEFAULT_MS = 3_000;
const DEFAULT_SHARE = 0.25;

/** Waits for the metadata. @throws CreativeError if no track can be decoded. */
export async function readVideo(page: SteppedPage): Promise<VideoFacts> {
  const state = await advanceUntil(page, 'video?.error || video?.readyState >= 2', 'reading its header');
  if (state.error !== '' || !(state.width > 0))
    throw new CreativeError(
      'generic_error',
      `The video cannot be played: none of its tracks can be decoded${state.error && ` (${state.error})`}.`,
    );
  return { width: state.width, height: state.height, durationMs: state.duration * 1000 };
}

/** Takes the frames of an opened video page, each by an exact seek. */
export async function renderVideoFrames(
  page: SteppedPage,
  markers: readonly (number | null)[],
): Promise<FramesByMarker> {
  const { durationMs } = await readVideo(page);
  const pictures = new Map<number | null, Buffer>();
  for (const marker of markers) {
    const moment = Math.min(marker ?? Math.min(MAX_DEFAULT_MS, durationMs * DEFAULT_SHARE), durationMs);
    await seek(page, moment / 1000);
    const last = [...pictures.values()].at(-1);
    pictures.set(marker, await drawSoughtFrame(page, last));
  }
  return pictures;
}

/** Draws again while the picture is still the one before, because the compositor may get the frame later than the page. */
async function drawSoughtFrame(page: SteppedPage, last: Buffer | undefined): Promise<Buffer> {
  for (let draws = 1; ; draws++) {
    await page.wait(STEP_MS);
    const { picture } = await page.drawPicture();
    const isOld = last === undefined ? await isUniform(picture) : picture.equals(last);
    if (!isOld || draws === MAX_DRAWS) return picture;
    await sleep(draws * PAUSE_MS);
  }
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

/** Draws frames, 1 ms of the page's time apart, until `condition` holds. The video is decoded in real time. */
async function advanceUntil(page: SteppedPage, condition: string, doing: string): Promise<VideoState> {
  const end = performance.now() + DECODE_TIMEOUT_MS;
  do {
    await page.wait(STEP_MS);
    await page.draw();
    const state = (await page.evaluate(`(() => {
      const video = document.querySelector('video');
      return { done: Boolean(${condition}), error: video?.error ? video.error.message || 'code ' + video.error.code : '',
        width: video?.videoWidth ?? 0, height: video?.videoHeight ?? 0, duration: Number.isFinite(video?.duration) ? video.duration : 1e9 };
    })()`)) as VideoState | undefined;
    if (state?.done) return state;
  } while (performance.now() < end);
  throw new RenderingBlockedError('no_picture', `The video showed no picture in time (${doing}).`);
}
