import { CdpError } from './cdp.ts';
import type { IsolatedWorlds } from './isolatedWorlds.ts';
import type { PageGuard } from './pageGuard.ts';
import type { PageWorkers } from './pageWorkers.ts';

/** The needs of a page, which decide the next step of the clock. */
export interface FrameNeed {
  /** The page requested the frame of this moment. */
  readonly requested: boolean;
  /** Milliseconds until an animation begins or ends; 0 if one does now, Infinity if none will. */
  readonly nextChangeMs: number;
}

const REQUESTED: FrameNeed = { requested: true, nextChangeMs: Number.POSITIVE_INFINITY };

/**
 * Finds out whether a page would behave differently if the browser skipped the frame of this moment. A page with a worker always
 * needs its frames, because only the worker knows what it draws.
 */
export class FrameNeeds {
  readonly #guard: PageGuard;
  readonly #worlds: IsolatedWorlds;
  readonly #workers: PageWorkers;

  constructor(guard: PageGuard, worlds: IsolatedWorlds, workers: PageWorkers) {
    this.#guard = guard;
    this.#worlds = worlds;
    this.#workers = workers;
  }

  /** @returns the changes since the previous call. An unknown need counts as a request. */
  async check(): Promise<FrameNeed> {
    if (this.#workers.count > 0) return REQUESTED;
    const frames = this.#worlds.frameIds();
    const needs = await this.#guard.waitFor(Promise.all(frames.map((id) => this.#checkFrame(id))));
    return {
      requested: needs.some(({ requested }) => requested),
      nextChangeMs: Math.min(...needs.map(({ nextChangeMs }) => nextChangeMs)),
    };
  }

  async #checkFrame(frameId: string): Promise<FrameNeed> {
    try {
      const need = (await this.#worlds.evaluate(frameId, CHECK)) as FrameNeed | undefined;
      const { requested, nextChangeMs } = need ?? REQUESTED;
      // Infinity has no JSON value.
      return { requested, nextChangeMs: nextChangeMs ?? Number.POSITIVE_INFINITY };
    } catch (error) {
      // The document was replaced.
      if (error instanceof CdpError) return REQUESTED;
      throw error;
    }
  }
}

/** The window of our isolated world, with what the previous check found in it. */
interface CheckedWindow extends Window {
  lastRequest?: number;
  phases?: WeakMap<Animation, number>;
}

/**
 * Runs in the isolated world of a document. A page requests a frame by an animation frame, a video that plays and a new
 * animation.
 */
function needOfFrame() {
  const view: CheckedWindow = window;
  let requested = false;
  let nextChangeMs = Number.POSITIVE_INFINITY;
  // A document counts its requests in all worlds, so that the next number shows whether the page requested frames.
  const request = requestAnimationFrame(() => undefined);
  cancelAnimationFrame(request);
  if (request !== (view.lastRequest ?? 0) + 1) requested = true;
  view.lastRequest = request;
  for (const video of document.querySelectorAll('video')) if (!video.paused && !video.ended) requested = true;
  view.phases ??= new WeakMap();
  for (const animation of document.getAnimations()) {
    const { startTime, playbackRate, effect, playState } = animation;
    const timing = effect?.getComputedTiming();
    let phase = -1;
    if (playState === 'running' && typeof startTime === 'number' && timing && playbackRate > 0) {
      const local = (performance.now() - startTime) * playbackRate;
      const changes = [timing.delay ?? 0, Number(timing.endTime)].map((change) => change - local);
      phase = changes.filter((left) => left <= 0).length;
      nextChangeMs = Math.min(nextChangeMs, (changes[phase] ?? Infinity) / playbackRate);
    }
    const known = view.phases.get(animation);
    if (animation.pending || known === undefined) requested = true;
    else if (known !== phase) nextChangeMs = 0;
    view.phases.set(animation, phase);
  }
  return { requested, nextChangeMs };
}

const CHECK = `(${needOfFrame})()`;
