/** Chooses slots for the ads of a group. Slots near each other win over slightly better ones, so that one screen may show all ads. */
import type { Rect } from './inPage/visibility.ts';
import type { ScoredCandidate, SlotCandidate } from './page.ts';
import { isInPage } from './slotFeatures.ts';

/** A slot that an ad may take. `scored` is an object of its own for each slot. */
export interface GroupTry {
  readonly scored: Pick<ScoredCandidate, 'box' | 'kind' | 'score' | 'size' | 'sticky'>;
  readonly scale: number;
}

interface Plan<T> {
  readonly taken: readonly (T | undefined)[];
  /** Points of the score that the ads lose against their best slots. */
  readonly loss: number;
  readonly top: number;
  readonly bottom: number;
}

/** A picture may become twice as high for a slot that is 2.7 times as likely as the near one. */
const POINTS_PER_DOUBLING = 10;
/** More than any difference of scores: an anchor for a slot in the page, or a scaled ad for an unscaled one. */
const LOSS_OF_OTHER_KIND = 1_000;
/** A slot that loses more points is no alternative for a near one, only for none. */
const MUCH_WORSE_FROM = 15;
const LOSS_OF_MUCH_WORSE = 100;
const LOSS_WITHOUT_SLOT = 100_000;
/** How many plans are followed. Eight ads with twenty slots each have more than could be compared. */
const MAX_PLANS = 50;
/** Two slots that share more than this part of the smaller one are one inside the other. */
const SHARED = 0.25;

/** Heights of pictures, CSS pixels. */
interface PictureHeights {
  readonly screen: number;
  readonly largest: number;
}

/**
 * @param ads the slots of each ad, best first.
 * @returns a slot for each ad, in the same order; undefined if the others take all slots of an ad.
 */
export function planGroup<T extends GroupTry>(
  ads: readonly (readonly T[])[],
  { screen, largest }: PictureHeights,
): (T | undefined)[] {
  // A picture that is higher than the screen begins at the top of the page, unless it would become too high.
  const heightOf = ({ top, bottom }: Plan<T>) =>
    bottom - top <= screen ? screen : bottom <= largest ? bottom : bottom - top;
  const cost = (plan: Plan<T>) => plan.loss + POINTS_PER_DOUBLING * Math.log2(heightOf(plan) / screen);
  let plans: Plan<T>[] = [{ taken: [], loss: 0, top: Number.POSITIVE_INFINITY, bottom: Number.NEGATIVE_INFINITY }];
  for (const tries of ads)
    plans = plans
      .flatMap((plan) => extensions(plan, tries))
      .sort((one, two) => cost(one) - cost(two))
      .slice(0, MAX_PLANS);
  return [...(plans[0]?.taken ?? [])];
}

function extensions<T extends GroupTry>(plan: Plan<T>, tries: readonly T[]): Plan<T>[] {
  const kinds = [...new Set(tries.map(kindOf))];
  const best = (kind: string) =>
    Math.max(...tries.filter((one) => kindOf(one) === kind).map(({ scored }) => scored.score));
  const free = tries.filter(({ scored }) =>
    plan.taken.every((other) => other === undefined || areApart(scored, other.scored)),
  );
  const withSlot = free.map((one): Plan<T> => {
    const { box, score, size, sticky } = one.scored;
    const worse = best(kindOf(one)) - score;
    const loss =
      LOSS_OF_OTHER_KIND * kinds.indexOf(kindOf(one)) + worse + (worse > MUCH_WORSE_FROM ? LOSS_OF_MUCH_WORSE : 0);
    const taken = [...plan.taken, one];
    if (sticky) return { ...plan, taken, loss: plan.loss + loss };
    const bottom = box.y + Math.max(box.height, size[1] * one.scale);
    return { taken, loss: plan.loss + loss, top: Math.min(plan.top, box.y), bottom: Math.max(plan.bottom, bottom) };
  });
  return [...withSlot, { ...plan, taken: [...plan.taken, undefined], loss: plan.loss + LOSS_WITHOUT_SLOT }];
}

/** Among slots of different kinds, the order counts, and not the score. */
function kindOf({ scored, scale }: GroupTry): string {
  return `${scored.kind === 'in_stream'} ${isInPage(scored)} ${scale === 1}`;
}

/** Whether two ads have space in both slots. */
export function areApart({ box: one }: Pick<SlotCandidate, 'box'>, { box: two }: Pick<SlotCandidate, 'box'>): boolean {
  const smaller = Math.min(one.width * one.height, two.width * two.height);
  return smaller === 0 ? one !== two : sharedArea(one, two) <= smaller * SHARED;
}

export function sharedArea(one: Rect, two: Rect): number {
  const width = Math.min(one.x + one.width, two.x + two.width) - Math.max(one.x, two.x);
  const height = Math.min(one.y + one.height, two.y + two.height) - Math.max(one.y, two.y);
  return Math.max(0, width) * Math.max(0, height);
}
