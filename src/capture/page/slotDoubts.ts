/** Doubts about the slot and the finished picture: a person looks at them before the picture is sent. */
import type { Size } from '../creative/creative.ts';
import type { ScoredCandidate } from './page.ts';
import type { PictureLook } from './pictureLook.ts';
import { isTall } from './slotFeatures.ts';

/** On pages that were judged by eye, a likelihood above this limit says nothing about the picture. */
const DOUBTFUL_BELOW = 0.15;
/** Below the headline. A reader comes to a slot that is nearer. */
const FAR_SCREENS = 2;
/** A tall ad with so much free space on both sides is not in a column beside the content. CSS pixels. */
const FREE_SIDE = 150;
/** An ad at the edge of its row. CSS pixels. */
const EDGE = 8;
/** The other side of such a row is nearly as wide as the ad. */
const WIDE_SHARE = 0.9;
const EMPTY_SHARE = 0.25;

export interface AdInPicture {
  /** CSS pixels. */
  readonly ad: Size;
  readonly viewport: Size;
  readonly look: PictureLook;
  /** A page without its styles puts everything at its edge. */
  readonly isUnstyled: boolean;
}

/** @returns sentences for the user; none if nothing is unusual. */
export function slotDoubts(slot: ScoredCandidate, { ad, viewport, look, isUnstyled }: AdInPicture): string[] {
  const { left, right, above, isAside } = look;
  const { likelihood, surroundings } = slot;
  const isDoubtful = likelihood < DOUBTFUL_BELOW || surroundings?.afterFooter;
  const isInRow = isTall(ad) && Math.min(left, right) >= FREE_SIDE;
  const isAtEdge = !isUnstyled && Math.min(left, right) < EDGE && Math.max(left, right) >= ad.width * WIDE_SHARE;
  return [
    isInRow ? 'The ad is tall, and its slot is a row of the page. Such ads usually stand beside the content.' : [],
    isAtEdge ? `The ad stands at the ${left < right ? 'left' : 'right'} edge of a wide slot.` : [],
    above > EMPTY_SHARE ? 'The page is empty above the ad.' : [],
    isAside ? 'The page is wider than the screen, and the picture does not begin at its edge.' : [],
    isDoubtful ? mainDoubt(slot, viewport) : [],
  ].flat();
}

function mainDoubt({ surroundings, covered, sizeTrust }: ScoredCandidate, viewport: Size): string {
  const screens = Math.round((surroundings?.belowHeadline ?? 0) / viewport.height);
  if (surroundings?.afterFooter) return 'The slot is below the footer of the page.';
  if (surroundings?.inFooter) return 'The slot is in the footer of the page.';
  if (surroundings?.inMenu) return 'The slot is in a menu or a sponsor area.';
  if (surroundings?.forOtherDevice) return 'The name of the slot says that it is for another kind of device.';
  if (screens >= FAR_SCREENS) return `The slot is ${screens} screens below the headline.`;
  if (covered) return 'Another element covers the slot when the page opens.';
  if (sizeTrust === 1) return 'The page does not say which ads the slot takes.';
  return 'There is little evidence that this is the right slot.';
}
