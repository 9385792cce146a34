/** Doubts about a slot that is unusual for the ad: a person looks at them before the picture is sent. */
import type { Size } from '../creative/creative.ts';
import type { ScoredCandidate } from './page.ts';
import { isTallInRow, MAX_COLUMN_WIDTH } from './slotFeatures.ts';

/** Below this likelihood are about half of the bad pictures and a tenth of the good ones, counted on pages that were judged by eye. */
const DOUBTFUL_BELOW = 0.4;
/** Below the headline. A reader comes to a slot that is nearer. */
const FAR_SCREENS = 2;

/** @returns sentences for the user; none if the slot is a usual one. */
export function slotDoubts(slot: ScoredCandidate, ad: Size, viewport: Size): string[] {
  const { box, likelihood, size } = slot;
  const isDoubtful = likelihood < DOUBTFUL_BELOW;
  // A banner that a phone shows alone in a wide slot fills the screen all the same.
  const isDesktop = viewport.width > 2 * MAX_COLUMN_WIDTH;
  const [width, height] = size.map(Math.round);
  return [
    isTallInRow({ ad, viewport }, box)
      ? 'The ad is tall, and its slot is a row of the page. Such ads usually stand beside the content.'
      : [],
    isDoubtful ? mainDoubt(slot, viewport) : [],
    (isDoubtful || isDesktop) && size[0] >= 2 * ad.width ? `The slot is designed for ${width}×${height} ads.` : [],
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
