import { DEFAULT_OPTIONS, type PlacementOptions } from '../../domain/screenshotOptions.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { shortErrorMessage } from '../../lib/errorMessage.ts';
import { setBounded } from '../../lib/lru.ts';
import { Mutex } from '../../lib/mutex.ts';
import { changedShare, decodePng, type Pixels } from '../compose/pixels.ts';
import { pngSize } from '../compose/pngSize.ts';
import type { CreativeFrame } from '../creative/creative.ts';
import type { Size } from '../creative/size.ts';
import { Camera } from './camera.ts';
import type { FoundSlot } from './findSlots.ts';
import type { LivePage } from './livePage.ts';
import type { Picture, PlacementFailure, ScoredCandidate } from './page.ts';
import { type PreparedSlot, prepareSlot } from './preparedSlot.ts';
import { narrowToBox, type ScoredSlot, scoreSlots } from './scoring.ts';
import { isTimeout } from './timeouts.ts';

type Choice = ScoredSlot<FoundSlot> & { readonly scale: number };

/** An ad is not placed where less of it is visible. */
const MIN_VISIBLE_SHARE = 0.6;
const MAX_TRIES = 5;
/** Each keeps a picture of the whole viewport in memory. */
const MAX_PREPARED_SLOTS = 8;
const STAGE_DEADLINE_MS = 30_000;

/** Places ads on one open page. */
export class AdPlacer {
  readonly #live: LivePage;
  readonly #slots: readonly FoundSlot[];
  readonly #camera: Camera;
  readonly #lock = new Mutex();
  readonly #spots = new Map<string, Promise<PreparedSlot>>();
  readonly #decoded = new WeakMap<CreativeFrame, Promise<Pixels & { opaque: boolean }>>();
  readonly #viewport: Size;

  constructor(live: LivePage, slots: readonly FoundSlot[], viewport: Size) {
    this.#live = live;
    this.#slots = slots;
    this.#camera = new Camera(live);
    this.#viewport = viewport;
  }

  async place(
    frame: CreativeFrame,
    { allowScaling }: PlacementOptions = DEFAULT_OPTIONS,
    only?: 'browser',
  ): Promise<Picture | PlacementFailure> {
    const request = { ad: frame, viewport: this.#viewport, allowScaling };
    const ranked = scoreSlots(this.#slots, request);
    const candidates = ranked.map(({ scored }) => scored);
    const refusals: string[] = [];
    let late = false;
    const possible = ranked.filter(canHoldAd).slice(0, MAX_TRIES);
    const tries = possible.flatMap((choice) => [choice, narrowToBox(choice, request)]).filter(canHoldAd);
    for (const choice of tries) {
      try {
        const spot = await this.#spotFor(choice, frame);
        if (spot.visibleShare >= MIN_VISIBLE_SHARE)
          return await this.#picture(frame, { choice, spot, candidates, only });
        refusals.push(`${choice.scored.element}: something covers it`);
      } catch (error) {
        if (this.#live.page.isClosed()) return failed('the page crashed or was closed', candidates);
        refusals.push(`${choice.scored.element}: ${shortErrorMessage(error)}`);
        late ||= isTimeout(error);
      }
    }
    return { status: 'no_slots', reason: noSlotReason(frame, ranked, refusals), candidates, timedOut: late };
  }

  #spotFor(choice: Choice, frame: CreativeFrame): Promise<PreparedSlot> {
    const size = placedSize(frame, choice.scale);
    const pixels = choice.scale === 1 ? pngSize(frame.png) : undefined;
    const key = JSON.stringify([this.#slots.indexOf(choice.slot), size, pixels]);
    const known = this.#spots.get(key);
    if (known !== undefined) return known;
    const spot = this.#exclusively(() => prepareSlot(this.#live, choice.slot, { size, pixels }));
    setBounded(this.#spots, [key, spot], MAX_PREPARED_SLOTS);
    spot.catch(() => this.#spots.delete(key));
    return spot;
  }

  async #picture(
    frame: CreativeFrame,
    to: { choice: Choice; spot: PreparedSlot; candidates: readonly ScoredCandidate[]; only: 'browser' | undefined },
  ): Promise<Picture> {
    const { choice, spot, candidates, only } = to;
    const ad = await this.#pixelsOf(frame);
    const fits = ad.width === spot.box.width && ad.height === spot.box.height;
    const composed = ad.opaque && fits && choice.scale === 1 && only !== 'browser' ? spot.composer : undefined;
    const png = await (composed?.compose(ad) ?? this.#capture(choice, frame, spot));
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
      warnings: [],
    };
  }

  #capture({ slot, scale }: Choice, frame: CreativeFrame, spot: PreparedSlot): Promise<Buffer> {
    return this.#exclusively(async () => {
      const staged = await this.#live.stage(slot, placedSize(frame, scale));
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

  /** One at a time, because all calls share the live page. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.hold(() => withDeadline(STAGE_DEADLINE_MS, work()));
  }
}

function canHoldAd(one: ScoredSlot<FoundSlot> | undefined): one is Choice {
  return one !== undefined && one.scale !== null;
}

/** Whole CSS pixels, so that a scaled ad has sharp edges. */
function placedSize({ width, height }: CreativeFrame, scale: number): Size {
  if (scale === 1) return { width, height };
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

function noSlotReason(
  frame: CreativeFrame,
  ranked: readonly ScoredSlot<FoundSlot>[],
  refusals: readonly string[],
): string {
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

function failed(reason: string, candidates: readonly ScoredCandidate[]): PlacementFailure {
  return { status: 'generic_error', reason, candidates };
}
