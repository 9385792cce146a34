import { withDeadline } from '../../lib/deadline.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { remember } from '../../lib/lru.ts';
import { Mutex } from '../../lib/mutex.ts';
import { changedShare, decodePng, type Pixels } from '../compose/pixels.ts';
import { pngSize } from '../compose/pngSize.ts';
import type { CreativeFrame } from '../creative/creative.ts';
import { Camera } from './camera.ts';
import type { FoundSlot } from './findSlots.ts';
import { isLate } from './late.ts';
import type { LivePage } from './livePage.ts';
import type { Picture, ScoredCandidate, Unplaced } from './page.ts';
import { narrowed, type ScoredSlot, scoreSlots } from './scoring.ts';
import { type Size, type Spot, tryOut } from './spot.ts';

type Choice = ScoredSlot<FoundSlot> & { readonly scale: number };

/** An ad of which less is seen is not placed there. */
const LEAST_SHOWN = 0.6;
const MAX_TRIES = 5;
/** Each keeps a whole picture of the page in memory. */
const MAX_SPOTS = 8;
const STAGE_DEADLINE_MS = 30_000;

/** Places ads on one open page. */
export class Placement {
  readonly #live: LivePage;
  readonly #slots: readonly FoundSlot[];
  readonly #camera: Camera;
  readonly #lock = new Mutex();
  readonly #spots = new Map<string, Promise<Spot>>();
  readonly #decoded = new WeakMap<CreativeFrame, Promise<Pixels & { opaque: boolean }>>();
  readonly #viewport: Size;

  constructor(live: LivePage, slots: readonly FoundSlot[], viewport: Size) {
    this.#live = live;
    this.#slots = slots;
    this.#camera = new Camera(live);
    this.#viewport = viewport;
  }

  async place(frame: CreativeFrame, only?: 'browser'): Promise<Picture | Unplaced> {
    const request = { ad: frame, viewport: this.#viewport };
    const ranked = scoreSlots(this.#slots, request);
    const candidates = ranked.map(({ scored }) => scored);
    const refusals: string[] = [];
    let late = false;
    const possible = ranked.filter(isPossible).slice(0, MAX_TRIES);
    const tries = possible.flatMap((choice) => [choice, narrowed(choice, request)]).filter(isPossible);
    for (const choice of tries) {
      try {
        const spot = await this.#spotFor(choice, frame);
        if (spot.shown >= LEAST_SHOWN) return await this.#picture(frame, { choice, spot, candidates, only });
        refusals.push(`${choice.scored.element}: something lies over it`);
      } catch (error) {
        if (this.#live.page.isClosed()) return failed('the page crashed or was closed', candidates);
        refusals.push(`${choice.scored.element}: ${wordsOf(error)}`);
        late ||= isLate(error);
      }
    }
    return { status: 'no_slots', reason: whyNot(frame, ranked, refusals), candidates, isLate: late };
  }

  #spotFor(choice: Choice, frame: CreativeFrame): Promise<Spot> {
    const size = shownSize(frame, choice.scale);
    const pixels = choice.scale === 1 ? pngSize(frame.png) : undefined;
    const key = JSON.stringify([this.#slots.indexOf(choice.slot), size, pixels]);
    const known = this.#spots.get(key);
    if (known !== undefined) return known;
    const spot = this.#exclusively(() => tryOut(this.#live, choice.slot, { size, pixels }));
    remember(this.#spots, [key, spot], MAX_SPOTS);
    spot.catch(() => this.#spots.delete(key));
    return spot;
  }

  async #picture(
    frame: CreativeFrame,
    to: { choice: Choice; spot: Spot; candidates: readonly ScoredCandidate[]; only: 'browser' | undefined },
  ): Promise<Picture> {
    const { choice, spot, candidates, only } = to;
    const ad = await this.#pixelsOf(frame);
    const fits = ad.width === spot.box.width && ad.height === spot.box.height;
    const composed = ad.opaque && fits && choice.scale === 1 && only !== 'browser' ? spot.composer : undefined;
    const png = await (composed?.compose(ad) ?? this.#photograph(choice, frame, spot));
    return {
      status: 'uploaded',
      png,
      ...pngSize(png),
      chosen: { ...choice.scored, reasons: [...choice.scored.reasons, ...spot.notes] },
      candidates,
      adBox: spot.box,
      scale: choice.scale,
      mode: composed ? 'composed' : 'browser',
      capturedAt: composed ? spot.capturedAt : new Date(),
    };
  }

  #photograph({ slot, scale }: Choice, frame: CreativeFrame, spot: Spot): Promise<Buffer> {
    return this.#exclusively(async () => {
      const staged = await this.#live.stage(slot, shownSize(frame, scale));
      try {
        const first = await this.#camera.show(staged, frame.png);
        const shown = (picture: Pixels) => changedShare(spot.page, picture, spot.box) > 0.02;
        return (await this.#camera.until(shown, first)).png;
      } finally {
        await staged.end();
      }
    });
  }

  #pixelsOf(frame: CreativeFrame): Promise<Pixels & { opaque: boolean }> {
    const known = this.#decoded.get(frame) ?? decodePng(frame.png);
    this.#decoded.set(frame, known);
    return known;
  }

  /** One at a time, for there is one live page. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.hold(() => withDeadline(STAGE_DEADLINE_MS, work()));
  }
}

function isPossible(one: ScoredSlot<FoundSlot> | undefined): one is Choice {
  return one !== undefined && one.scale !== null;
}

/** Whole CSS pixels, so that a scaled ad has sharp edges. */
function shownSize({ width, height }: CreativeFrame, scale: number): Size {
  if (scale === 1) return { width, height };
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

function whyNot(frame: CreativeFrame, ranked: readonly ScoredSlot<FoundSlot>[], refusals: readonly string[]): string {
  if (ranked.length === 0) return 'The page has no ad slot.';
  const size = `${frame.width}×${frame.height}`;
  const judged = ranked.flatMap(({ scored, problem }) =>
    problem === undefined ? [] : [`${scored.element}: ${problem}`],
  );
  const reasons = [...new Set([...refusals, ...judged])].slice(0, 4).join('; ');
  const slots =
    ranked.length === 1
      ? 'The only ad slot of the page takes no'
      : `None of the page's ${ranked.length} ad slots takes an`;
  return `${slots} ad of ${size}: ${reasons}.`;
}

function failed(reason: string, candidates: readonly ScoredCandidate[]): Unplaced {
  return { status: 'generic_error', reason, candidates };
}

function wordsOf(error: unknown): string {
  return errorMessage(error).split('\n')[0]?.slice(0, 200) ?? '';
}
