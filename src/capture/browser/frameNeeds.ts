import type { Page, Worker } from 'playwright-core';
import { withDeadline } from '../../lib/deadline.ts';
import { CdpError, type CdpSession } from './cdp.ts';
import { Frame } from './frame.ts';

/** The needs of a page, which decide the next step of the clock. */
export interface FrameNeed {
  /** The page requested the frame of this moment. */
  readonly requested: boolean;
  /** Milliseconds until an animation begins or ends; 0 if one does now, Infinity if none will. */
  readonly nextChangeMs: number;
}

export const FRAME_REQUESTED: FrameNeed = { requested: true, nextChangeMs: Number.POSITIVE_INFINITY };

/**
 * Finds out whether a page would behave differently if the browser skipped the frame of this moment.
 * @returns the changes since the previous call. An unknown need counts as a request.
 */
export async function readFrameNeed(worlds: IsolatedWorlds): Promise<FrameNeed> {
  const needs = await Promise.all(worlds.frameIds().map((id) => needIn(worlds, id)));
  return {
    requested: needs.some(({ requested }) => requested),
    nextChangeMs: Math.min(...needs.map(({ nextChangeMs }) => nextChangeMs)),
  };
}

async function needIn(worlds: IsolatedWorlds, frameId: string): Promise<FrameNeed> {
  try {
    const need = (await worlds.evaluate(frameId, CHECK)) as FrameNeed | undefined;
    const { requested, nextChangeMs } = need ?? FRAME_REQUESTED;
    // Infinity has no JSON value.
    return { requested, nextChangeMs: nextChangeMs ?? Number.POSITIVE_INFINITY };
  } catch (error) {
    // The document was replaced.
    if (error instanceof CdpError) return FRAME_REQUESTED;
    throw error;
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

/** Runs our scripts in the frames of a page that does not report its contexts. */
export class IsolatedWorlds {
  readonly #session: CdpSession;
  /** A new one for each document. */
  readonly #frames = new Map<string, Frame>();

  constructor(session: CdpSession) {
    this.#session = session;
    session.on('Page.frameNavigated', ({ frame }) => this.#begin(frame.id));
    session.on('Page.frameAttached', ({ frameId }) => this.#begin(frameId));
    session.on('Page.frameDetached', ({ frameId }) => this.#frames.delete(frameId));
  }

  /** The ids of all frames that exist now. */
  frameIds(): readonly string[] {
    return [...this.#frames.keys()];
  }

  /** @returns undefined if the script throws. @throws CdpError if another document replaces this one during the call. */
  async evaluate(frameId: string, expression: string): Promise<unknown> {
    const frame = this.#frames.get(frameId) ?? this.#begin(frameId);
    try {
      return await frame.evaluatePassively(expression);
    } catch (error) {
      if (error instanceof CdpError && this.#frames.has(frameId)) this.#begin(frameId);
      throw error;
    }
  }

  #begin(frameId: string): Frame {
    const frame = new Frame(this.#session, frameId, undefined);
    this.#frames.set(frameId, frame);
    return frame;
  }
}

/** A worker that does not answer for this real time is busy, and the clock no longer waits for it. */
const BUSY_MS = 5_000;

/** The workers of a page. Virtual time does not wait for them, so the clock of the page has to. */
export class PageWorkers {
  readonly #running = new Set<Worker>();
  /** The workers for which the clock waits, with the answers that they have given. */
  readonly #awaited = new Map<Worker, number>();

  constructor(page: Page) {
    page.on('worker', (worker) => {
      this.#running.add(worker);
      this.#awaited.set(worker, 0);
      worker.on('close', () => {
        this.#running.delete(worker);
        this.#awaited.delete(worker);
      });
    });
  }

  get count(): number {
    return this.#running.size;
  }

  /** Waits until each worker has started, and has done what is due at this moment. */
  async settle(): Promise<void> {
    await Promise.all([...this.#awaited.keys()].map((worker) => this.#answer(worker)));
  }

  async #answer(worker: Worker): Promise<void> {
    // The script of a new worker runs before its second answer.
    const answers = this.#awaited.get(worker) === 0 ? 2 : 1;
    try {
      for (let answer = 0; answer < answers; answer += 1) await withDeadline(BUSY_MS, worker.evaluate('0'));
      if (this.#awaited.has(worker)) this.#awaited.set(worker, answers);
    } catch {
      // If the browser is gone, every other call reports it.
      this.#awaited.delete(worker);
    }
  }
}
