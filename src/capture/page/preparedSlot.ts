import type { PageView } from '../../domain/screenshotOptions.ts';
import type { Warning } from '../../domain/warnings.ts';
import { changedShare, cutOut, type PixelBox, type Pixels } from '../compose/pixels.ts';
import { findProbe, judgeProbe, probePicture, type Verdict } from '../compose/probe.ts';
import type { Size } from '../creative/creative.ts';
import type { FoundSlot } from './findSlots.ts';
import type { ViewRequest } from './inPage/overlays.ts';
import type { LivePage, PictureArea, StagedSlot } from './livePage.ts';
import {
  type AdGeometry,
  Camera,
  faultOfGeometry,
  type GeometryRequest,
  geometryOf,
  MIN_SHOWN_SHARE,
  type PixelTest,
  warningsOf,
} from './pictureCheck.ts';
import { colourAt, type PictureLook, pictureLook } from './pictureLook.ts';

/** A page with one word has more. */
const MAX_BLANK_SHARE = 0.00003;
/** A page with some lines of text has more. */
const ENOUGH_SHARE = 0.01;
/** An ad that fills the screen leaves too little of the page to judge. */
const MIN_PAGE_SHARE = 0.15;

/** How much of the page a picture shows. `little`: less than some lines of text. */
type PageContent = { readonly share: number; readonly amount: 'none' | 'little' | 'enough' };

/** A slot that was tested with a probe picture: the page around it, and how to make pictures with it. */
export interface PreparedSlot {
  readonly page: Pixels;
  readonly box: PixelBox;
  /** How the page is scrolled so that it shows the whole ad. */
  readonly scroll: ViewRequest;
  /** Composition gives the same pixels as the browser. */
  readonly composable: boolean;
  /** The space was opened in another way, because the ad lay over content of the page. */
  readonly isSpread: boolean;
  /** How much smaller than in CSS pixels the screen shows the page. */
  readonly zoom: number;
  readonly look: PictureLook;
  readonly warnings: readonly Warning[];
  readonly capturedAt: Date;
}

/** A slot in which no picture would show the whole ad. */
export interface RefusedSlot {
  /** Why, as the end of a sentence that begins with the slot. */
  readonly fault: string;
}

export interface PrepareRequest extends GeometryRequest {
  /** The size of the ad's picture, if it is shown unscaled. */
  readonly pixels: Size | undefined;
  /** A player gives all its box to the ad. */
  readonly isOverBox: boolean;
  readonly area: PictureArea;
  readonly view: PageView;
}

type Trial = (Omit<PreparedSlot, 'isSpread' | 'look'> & { content: PageContent; isAside: boolean }) | RefusedSlot;

/** A view without a cover is tried first. */
const SCROLLS: Readonly<Record<PageView, readonly ViewRequest[]>> = {
  slot: [
    { position: 'top', thorough: false },
    { position: 'center', thorough: true },
  ],
  masthead: [
    { position: 'head', thorough: false },
    { position: 'head', thorough: true },
  ],
};
/** Views that show another part of the page around the ad. */
const OTHER_POSITIONS = ['end', 'start'] as const;

/** Shows a probe picture in the slot. Its pixels show how much of an ad is visible, and whether composition is possible. */
export async function prepareSlot(
  live: LivePage,
  slot: FoundSlot,
  request: PrepareRequest,
): Promise<PreparedSlot | RefusedSlot> {
  const staged = await live.stage(slot, request);
  try {
    return await testStaged(live, staged, request);
  } finally {
    await staged.end();
  }
}

/** The same for a slot that stays staged. */
export async function testStaged(
  live: LivePage,
  staged: StagedSlot,
  request: PrepareRequest,
): Promise<PreparedSlot | RefusedSlot> {
  const { trial, covers, isSpread } = await uncoveringTrial(live, staged, request);
  if ('fault' in trial) return trial;
  if (covers !== null && !request.mayCover) return { fault: `the ad would cover ${covers}` };
  const { content: _, isAside, ...tested } = trial;
  const covering: Warning[] =
    covers === null ? [] : [{ code: 'ad_covers_content', message: `In the chosen slot, the ad covers ${covers}.` }];
  const look = pictureLook(tested.page, tested.box, { adWidth: request.size.width, isAside });
  return { ...tested, isSpread, look, warnings: [...staged.warnings, ...tested.warnings, ...covering] };
}

/** Opens the space in another way if the ad lies over content of the page. */
async function uncoveringTrial(
  live: LivePage,
  staged: StagedSlot,
  request: PrepareRequest,
): Promise<{ trial: Trial; covers: string | null; isSpread: boolean }> {
  const trial = await bestTrial(live, staged, request);
  const covers = 'fault' in trial ? null : await staged.contentUnder();
  if (covers === null) return { trial, covers, isSpread: false };
  await staged.spreadOut();
  const second = await bestTrial(live, staged, request);
  return { trial: second, covers: 'fault' in second ? null : await staged.contentUnder(), isSpread: true };
}

const BLANK = 'the page around the ad is blank';

/** The first view that shows the whole ad. If it shows little of the page, the view that shows most of it. */
async function bestTrial(live: LivePage, staged: StagedSlot, request: PrepareRequest): Promise<Trial> {
  let best: Trial = { fault: 'it was not tried' };
  let thorough = false;
  for (const scroll of SCROLLS[request.view]) {
    best = await tryView(live, staged, { ...request, scroll });
    thorough = scroll.thorough;
    if (!('fault' in best)) break;
  }
  if (!(await mayShowMore(live, best, request.area))) return best;
  for (const position of OTHER_POSITIONS) {
    const other = await tryView(live, staged, { ...request, scroll: { position, thorough } });
    if (!('fault' in other) && ('fault' in best || other.content.share > best.content.share)) best = other;
  }
  return best;
}

/** Whether another part of the page around the ad may have more content than this view. */
async function mayShowMore(live: LivePage, trial: Trial, area: PictureArea): Promise<boolean> {
  if ('fault' in trial) return trial.fault === BLANK;
  if (area === 'page' || trial.content.amount === 'enough') return false;
  const { document, view } = await live.screen();
  return document.height > view.height + 1 || document.width > view.width + 1;
}

type ViewTrial = PrepareRequest & { readonly scroll: ViewRequest };

async function tryView(live: LivePage, staged: StagedSlot, request: ViewTrial): Promise<Trial> {
  await staged.bringIntoView(request.scroll);
  const trial = await tryOnce(live, staged, request);
  // A pop-up may appear between the look for layers and the capture.
  return (await staged.hideLateLayers()) ? tryOnce(live, staged, request) : trial;
}

async function tryOnce(live: LivePage, staged: StagedSlot, request: ViewTrial): Promise<Trial> {
  const geometry = await geometryOf(live, staged, request.area);
  const fault = faultOfGeometry(geometry, request);
  if (fault !== undefined) return { fault };
  const { verdict, page, at } = await probeSlot(live, staged, { geometry, pixels: request.pixels });
  const { composable, shown, box } = verdict;
  if (shown < MIN_SHOWN_SHARE) return { fault: `only ${Math.floor(shown * 100)} % of the ad would be visible` };
  const content = contentAround(page, box);
  if (content.amount === 'none') return { fault: BLANK };
  const warnings = warningsOf(geometry);
  const { zoom, isAside } = geometry;
  return { page, box, composable, content, isAside, scroll: request.scroll, zoom, warnings, capturedAt: at };
}

/** The screen, and the part of it around the ad if that can be captured alone. */
interface Cameras {
  readonly whole: Camera;
  readonly part: Camera;
  /** The part of a whole picture that the other camera shows. */
  readonly cut: (picture: Pixels) => Pixels;
}

async function probeSlot(
  live: LivePage,
  staged: StagedSlot,
  { geometry, pixels }: { geometry: AdGeometry; pixels: Size | undefined },
): Promise<{ verdict: Verdict; page: Pixels; at: Date }> {
  const { box, clip, part } = geometry;
  const isExact = pixels && Math.abs(pixels.width - box.width) <= 1 && Math.abs(pixels.height - box.height) <= 1;
  const probe = await probePicture(isExact ? pixels : box);
  const { x, y } = part?.box ?? { x: 0, y: 0 };
  const sought = { pixels: probe.pixels, expected: { ...box, x: box.x - x, y: box.y - y } };
  const cameras = {
    whole: new Camera(live, clip),
    part: new Camera(live, part?.clip ?? clip),
    cut: (picture: Pixels) => (part === undefined ? picture : cutOut(picture, part.box)),
  };
  const { probed, page, at } = await captureWithAndWithoutProbe(staged, cameras, {
    probe: probe.png,
    has: (picture) => findProbe(picture, sought) !== undefined,
    differs: (one, two) => changedShare(one, two, sought.expected) > 0.1,
  });
  const verdict = judgeProbe(cameras.cut(page), probed, sought);
  return { verdict: { ...verdict, box: { ...verdict.box, x: verdict.box.x + x, y: verdict.box.y + y } }, page, at };
}

interface ProbeTests {
  readonly probe: Buffer;
  readonly has: PixelTest;
  readonly differs: (one: Pixels, two: Pixels) => boolean;
}

/**
 * Captures the slot with the probe, and then the page without an ad. Repeats a capture that does not show the change yet.
 * @returns `probed` as large as the part around the ad.
 */
async function captureWithAndWithoutProbe(
  staged: StagedSlot,
  { whole, part, cut }: Cameras,
  { probe, has, differs }: ProbeTests,
): Promise<{ probed: Pixels; page: Pixels; at: Date }> {
  const shown = await part.until(has, await part.show(staged, probe));
  const probed = await shown.pixels;
  const page = await whole.until((picture) => differs(probed, cut(picture)), await whole.show(staged, null));
  return { probed, page: await page.pixels, at: page.at };
}

/** Measures the share of the page around the ad that differs from its background. It stops counting when that is enough. */
function contentAround(page: Pixels, box: PixelBox): PageContent {
  const all = page.width * page.height;
  const around = all - box.width * box.height;
  if (around < all * MIN_PAGE_SHARE) return { share: ENOUGH_SHARE, amount: 'enough' };
  const share = countPainted(page, box, around * ENOUGH_SHARE) / around;
  return { share, amount: share <= MAX_BLANK_SHARE ? 'none' : share < ENOUGH_SHARE ? 'little' : 'enough' };
}

function countPainted(page: Pixels, box: PixelBox, enough: number): number {
  const background = mainColour(page, box);
  let painted = 0;
  for (let y = 0; y < page.height; y++) {
    const inRows = y >= box.y && y < box.y + box.height;
    for (let x = 0; x < page.width; x++) {
      if (inRows && x >= box.x && x < box.x + box.width) continue;
      if (colourAt(page, x, y) !== background && ++painted >= enough) return painted;
    }
  }
  return painted;
}

/** The most frequent color of some pixels outside the box. */
function mainColour(page: Pixels, box: PixelBox): number {
  const counts = new Map<number, number>();
  const step = Math.max(1, Math.floor(Math.min(page.width, page.height) / 24));
  for (let y = 0; y < page.height; y += step) {
    for (let x = 0; x < page.width; x += step) {
      const inside = x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
      if (!inside) counts.set(colourAt(page, x, y), (counts.get(colourAt(page, x, y)) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, one], [, two]) => two - one)[0]?.[0] ?? 0xffffff;
}
