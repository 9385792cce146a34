import { sleep } from '../../lib/sleep.ts';
import { RenderingBlockedError } from '../browser/cdp.ts';
import type { SteppedPage } from '../browser/steppedPage.ts';
import { CREATIVE_DEADLINE_MS, CreativeError, type Size } from './creative.ts';
import { FrameGrid } from './frameGrid.ts';
import { REST_LIMITS, type RestingPicture, RestingSearch } from './restingPicture.ts';
import { isUniform } from './stillImage.ts';

interface VideoFacts extends Size {
  /** Very large if the file does not declare it. */
  readonly durationMs: number;
}

/** The step of the page's time between two frames. */
const STEP_MS = 1;
/** A film may really begin with one color, or stand still between two markers. */
const MAX_DRAWS = 12;
/** A film has many frames in which nothing may move, and they must not take minutes. */
const MAX_FILM_DRAWS = 6;
/** Real time for the compositor after the first draw. It grows by as much with each further one. */
const PAUSE_MS = 10;
/** Real time for decoding one frame. */
const DECODE_TIMEOUT_MS = 10_000;
/** The default frame of a video is at a quarter of its duration, at most at this time. */
const MAX_DEFAULT_MS = 3_000;
const DEFAULT_SHARE = 0.25;

interface VideoState {
  readonly done: boolean;
  readonly error: string;
  readonly width: number;
  readonly height: number;
  readonly duration: number;
}

/** PNGs by marker in milliseconds; null is the default frame. */
export type FramesByMarker = ReadonlyMap<number | null, Buffer>;

/** Until this time a look at each frame costs little. */
const SHORT_MS = 5_000;

/**
 * A marker in this time takes the next picture that shows something. A script that draws by a timer, as CreateJS does by
 * default, shows nothing at the load, and its first picture 17 to 42 ms later.
 */
const BLANK_MS = 100;

/** A page is still if it drew nothing for this time. */
const STILL_MS = 600;
/** A page that still moves at this time is measured and judged as it is. */
const MAX_UNTIL_STILL_MS = 5_000;

/**
 * Real time for the search of the default frame. A creative that draws slowly then gets the best picture so far. On a busy machine,
 * a usual search takes 15 s, and it has to find the same picture as on a quiet one.
 */
const MAX_SEARCH_MS = CREATIVE_DEADLINE_MS / 2;

export interface FrameOptions {
  /** Each frame is looked at, because a page requested one that was skipped. */
  readonly looksAtEachFrame: boolean;
  /** The page is an image, whose frames have exact times. */
  readonly isImage: boolean;
  /** The time of the default frame, if another pass has found it. */
  readonly restingMs?: number | undefined;
  /** @returns true if the page shows only that it loads. */
  readonly isLoading: () => Promise<boolean>;
}

export interface PageFrames {
  readonly pictures: FramesByMarker;
  /** The time of the default frame; undefined without one. */
  readonly restingMs: number | undefined;
}

/**
 * Takes the frames of all markers in one pass over the page's time. A marker counts from the first frame after the load. Which
 * frames the page gets depends only on the page, so that the markers do not affect each other.
 * @throws LateFrameError if the page has to be rendered again with `looksAtEachFrame`.
 */
export async function renderPageFrames(
  page: SteppedPage,
  markers: readonly (number | null)[],
  { looksAtEachFrame, isImage, restingMs, isLoading }: FrameOptions,
): Promise<PageFrames> {
  await waitForLoad(page);
  const pictures = new Map<number, Buffer>();
  const moments = markers.map((marker) => marker ?? restingMs);
  const ahead = [...new Set(moments.filter((moment) => moment !== undefined))].toSorted((a, b) => a - b);
  let search = moments.includes(undefined) ? new RestingSearch(REST_LIMITS[page.clock]) : undefined;
  let resting: RestingPicture | undefined;
  const searchEnd = performance.now() + MAX_SEARCH_MS;
  const isShort = search === undefined && (ahead.at(-1) ?? 0) <= SHORT_MS;
  const grid = new FrameGrid(page, looksAtEachFrame || isShort);
  const plain = new Set<number>();
  while (true) {
    const samples = search !== undefined && grid.isFixed && search.wantsPicture(grid.time);
    const due = takeBefore(ahead, grid.nextTime);
    const frame = await grid.draw(samples || due.length > 0 || plain.size > 0);
    if (grid.isFixed) await search?.add(grid.time, samples ? frame : { damage: frame.damage });
    else if (frame.damage) search?.noteDamage(grid.time);
    await replacePlain(pictures, plain, frame.picture);
    for (const marker of due) {
      const picture = (await grid.pictureAt(marker)) ?? frame.picture;
      if (picture) pictures.set(marker, picture);
      if (picture && !isImage && grid.time < BLANK_MS && (await isUniform(picture))) plain.add(marker);
    }
    if (grid.nextTime > BLANK_MS) plain.clear();
    if (search !== undefined && grid.isFixed) {
      const ended = search.hasEnded(grid.time) && !(await page.hasUnfinishedAnimations()) && !(await isLoading());
      const isOver = search.isOver(grid.time) || performance.now() > searchEnd;
      if (ended || isOver) resting = search.result(grid.time);
      if (resting !== undefined) search = undefined;
    }
    if (ahead.length + plain.size === 0 && search === undefined) break;
    await grid.next(ahead[0]);
  }
  const frames = markers.map((marker, index) => [marker, pictures.get(moments[index] ?? -1) ?? resting?.png] as const);
  return {
    pictures: new Map(frames.flatMap(([marker, png]) => (png === undefined ? [] : [[marker, png]]))),
    restingMs: restingMs ?? resting?.time,
  };
}

/** Gives the markers with a picture of one color a later picture, if that shows something. */
async function replacePlain(pictures: Map<number, Buffer>, markers: Set<number>, later: Buffer | undefined) {
  if (markers.size === 0 || later === undefined || (await isUniform(later))) return;
  for (const marker of markers) pictures.set(marker, later);
  markers.clear();
}

/** Removes the first markers of a sorted list. @returns those before `time`. */
function takeBefore(markers: number[], time: number): number[] {
  const count = markers.findIndex((marker) => marker >= time);
  return markers.splice(0, count < 0 ? markers.length : count);
}

/** Lets a page run until it draws nothing for {@link STILL_MS} and no animation with an end is running. Takes no frame. */
export async function waitUntilStill(page: SteppedPage): Promise<void> {
  await waitForLoad(page);
  const grid = new FrameGrid(page, true);
  let lastDamage = 0;
  let nextCheckAt = 0;
  while (grid.time < MAX_UNTIL_STILL_MS) {
    if (grid.time - lastDamage >= STILL_MS && grid.time >= nextCheckAt) {
      if (!(await page.hasUnfinishedAnimations())) return;
      nextCheckAt = grid.time + 100;
    }
    if ((await grid.draw(false)).damage) lastDamage = grid.time;
    await grid.next();
  }
}

export type LoadingPage = Pick<SteppedPage, 'loadedAt' | 'now' | 'clock' | 'wait'>;

/**
 * In stepped time, each request takes exactly this long, if one step of the clock covers it. So a script starts at the same
 * time in every rendering.
 */
const LOADING_STEP_MS = 10;
/** At this time a creative counts as started, even if it still loads. */
const MAX_LOADING_MS = { stepped: 300, wall: 3_000 };
/**
 * From the load to the first frame. A step of the clock may end before the browser has handled the answers of this step, and then
 * one more step passes before the load is known.
 */
const FIRST_FRAME_MS = LOADING_STEP_MS + 1;

/** Lets the creative load without drawing, so that marker 0 is the same in every rendering. */
export async function waitForLoad(page: LoadingPage): Promise<void> {
  while (page.loadedAt === undefined && page.now < MAX_LOADING_MS[page.clock]) await page.wait(LOADING_STEP_MS);
  const passed = page.now - (page.loadedAt ?? page.now);
  await page.wait(Math.max(1, FIRST_FRAME_MS - passed));
}

/** As {@link renderVideoFrames}, with short waits where nothing moves. */
export function renderVideoFilm(page: SteppedPage, moments: readonly (number | null)[]): Promise<FramesByMarker> {
  return renderVideoFrames(page, moments, MAX_FILM_DRAWS);
}

/** Waits for the metadata. @throws CreativeError if no track can be decoded. */
export async function readVideo(page: SteppedPage): Promise<VideoFacts> {
  const state = await advanceUntil(page, 'video?.error || video?.readyState >= 2', 'reading its header');
  if (state.error !== '' || !(state.width > 0))
    throw new CreativeError(
      `The video cannot be played: none of its tracks can be decoded${state.error && ` (${state.error})`}.`,
    );
  return { width: state.width, height: state.height, durationMs: state.duration * 1000 };
}

/** Takes the frames of an opened video page, each by an exact seek. */
export async function renderVideoFrames(
  page: SteppedPage,
  markers: readonly (number | null)[],
  maxDraws = MAX_DRAWS,
): Promise<FramesByMarker> {
  const { durationMs } = await readVideo(page);
  const pictures = new Map<number | null, Buffer>();
  let sought: number | undefined;
  for (const marker of markers) {
    const moment = Math.min(marker ?? Math.min(MAX_DEFAULT_MS, durationMs * DEFAULT_SHARE), durationMs);
    const last = [...pictures.values()].at(-1);
    // The browser shows no new frame for the moment that it shows, such as the end.
    if (last !== undefined && moment === sought) pictures.set(marker, last);
    else {
      await seek(page, moment / 1000);
      pictures.set(marker, await drawSoughtFrame(page, last, maxDraws));
    }
    sought = moment;
  }
  return pictures;
}

/** Draws again while the picture is still the one before, because the compositor may get the frame later than the page. */
async function drawSoughtFrame(page: SteppedPage, last: Buffer | undefined, maxDraws: number): Promise<Buffer> {
  for (let draws = 1; ; draws++) {
    await page.wait(STEP_MS);
    const { picture } = await page.drawPicture();
    const isOld = last === undefined ? await isUniform(picture) : picture.equals(last);
    if (!isOld || draws === maxDraws) return picture;
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
