/**
 * The script that runs in the isolated world of each document: what Tearsheet does inside pages. Scripts of the page share the
 * document with it, but none of its objects, so whatever they replace makes no difference here.
 */
export { mayShowDialog, pressConsentButton } from './consent.ts';
export { contentUnder } from './coverage.ts';
export { drawArea, drawUnit } from './drawnUnits.ts';
export { bringIntoView, hideLateLayers, innerScroller, originOf, scrollToRow, toTop } from './overlays.ts';
export { findCovered, ownerOf, scan } from './scan.ts';
export { clickFirst, countMatches, hideAll } from './siteRules.ts';
export { labelOf } from './slotContext.ts';
export { freeze } from './stabilize.ts';
export {
  beginInDocument,
  beginInElement,
  end,
  growFrame,
  paint,
  rectOfStage,
  scrollOwnFrame,
  unpaint,
} from './staging.ts';
export { hasVerticalLines } from './visibility.ts';
