import type { Warning } from '../../domain/warnings.ts';
import { isBlankAround } from '../compose/blankPage.ts';
import { PageComposer } from '../compose/pageComposer.ts';
import { changedShare, type PixelBox, type Pixels } from '../compose/pixels.ts';
import { findProbe, judgeProbe, probePicture, type Verdict } from '../compose/probe.ts';
import type { Size } from '../creative/size.ts';
import { Camera, type PixelTest } from './camera.ts';
import type { FoundSlot } from './findSlots.ts';
import type { ViewRequest } from './inPage/bringIntoView.ts';
import type { LivePage, PictureArea, StagedSlot } from './livePage.ts';
import { type AdGeometry, faultOfGeometry, geometryOf, MIN_SHOWN_SHARE, warningsOf } from './pictureCheck.ts';

/** A slot that was tested with a probe picture: the page around it, and how to make pictures with it. */
export interface PreparedSlot {
  readonly page: Pixels;
  readonly box: PixelBox;
  /** The view of the page that shows the whole ad. */
  readonly view: ViewRequest;
  /** Set if composition gives the same pixels as the browser. */
  readonly composer: PageComposer | undefined;
  /** How much smaller than in CSS pixels the screen shows the page. */
  readonly zoom: number;
  readonly warnings: readonly Warning[];
  readonly capturedAt: Date;
}

/** A slot in which no picture would show the whole ad. */
export interface RefusedSlot {
  /** Why, as the end of a sentence that begins with the slot. */
  readonly fault: string;
}

export interface PrepareRequest {
  /** CSS pixels. */
  readonly size: Size;
  /** The size of the ad's picture, if it is shown unscaled. */
  readonly pixels: Size | undefined;
  readonly viewport: Size;
  readonly area: PictureArea;
  readonly minZoom: number;
}

type Trial = (Omit<PreparedSlot, 'composer'> & { composable: boolean }) | RefusedSlot;

/** A view without a cover is tried first. `blank`: views that are only tried if the page around the ad is blank. */
const VIEWS: readonly (ViewRequest & { readonly blank?: true })[] = [
  { position: 'top', thorough: false },
  { position: 'center', thorough: true },
  { position: 'end', thorough: true, blank: true },
  { position: 'start', thorough: true, blank: true },
];

/** Shows a probe picture in the slot. Its pixels tell how much of an ad is visible, and whether composition is possible. */
export async function prepareSlot(
  live: LivePage,
  slot: FoundSlot,
  request: PrepareRequest,
): Promise<PreparedSlot | RefusedSlot> {
  const staged = await live.stage(slot, request.size, request.minZoom);
  try {
    let refused: RefusedSlot = { fault: 'it was not tried' };
    for (const view of VIEWS) {
      if (view.blank && refused.fault !== BLANK) continue;
      await staged.bringIntoView(view);
      let trial = await tryView(live, staged, { ...request, view });
      // A pop-up may appear between the look for layers and the capture.
      if (await staged.hideLateLayers()) trial = await tryView(live, staged, { ...request, view });
      if (!('fault' in trial)) {
        const { composable, ...prepared } = trial;
        const composer = composable ? new PageComposer(prepared.page, prepared.box) : undefined;
        return { ...prepared, composer, warnings: [...staged.warnings, ...prepared.warnings] };
      }
      refused = trial;
    }
    return refused;
  } finally {
    await staged.end();
  }
}

const BLANK = 'the page around the ad is blank';

async function tryView(
  live: LivePage,
  staged: StagedSlot,
  request: PrepareRequest & { readonly view: ViewRequest },
): Promise<Trial> {
  const geometry = await geometryOf(live, staged, request.area);
  const fault = faultOfGeometry(geometry, request);
  if (fault !== undefined) return { fault };
  const { verdict, page, at } = await probeSlot(staged, new Camera(live, geometry.clip), geometry, request.pixels);
  const { composable, shown, box } = verdict;
  if (shown < MIN_SHOWN_SHARE) return { fault: `only ${Math.floor(shown * 100)} % of the ad would be visible` };
  if (isBlankAround(page, box)) return { fault: BLANK };
  const warnings = warningsOf(geometry);
  return { page, box, composable, view: request.view, zoom: geometry.zoom, warnings, capturedAt: at };
}

async function probeSlot(
  staged: StagedSlot,
  camera: Camera,
  { box: expected }: AdGeometry,
  pixels: Size | undefined,
): Promise<{ verdict: Verdict; page: Pixels; at: Date }> {
  const isExact =
    pixels && Math.abs(pixels.width - expected.width) <= 1 && Math.abs(pixels.height - expected.height) <= 1;
  const probe = await probePicture(isExact ? pixels : expected);
  const sought = { pixels: probe.pixels, expected };
  const { probed, page, at } = await captureWithAndWithoutProbe(staged, camera, {
    probe: probe.png,
    has: (picture) => findProbe(picture, sought) !== undefined,
    differs: (one, two) => changedShare(one, two, expected) > 0.1,
  });
  return { verdict: judgeProbe(page, probed, sought), page, at };
}

interface ProbeTests {
  readonly probe: Buffer;
  readonly has: PixelTest;
  readonly differs: (one: Pixels, two: Pixels) => boolean;
}

/** Captures the slot with the probe and then without an ad. Repeats a capture that does not show the change yet. */
async function captureWithAndWithoutProbe(
  staged: StagedSlot,
  camera: Camera,
  { probe, has, differs }: ProbeTests,
): Promise<{ probed: Pixels; page: Pixels; at: Date }> {
  const first = await camera.show(staged, probe);
  let second = await camera.show(staged, null);
  let probed = await first.pixels;
  if (!has(probed)) {
    const shown = await camera.until(has, await camera.show(staged, probe));
    probed = await shown.pixels;
    second = await camera.show(staged, null);
  }
  const page = await camera.until((picture) => differs(probed, picture), second);
  return { probed, page: await page.pixels, at: page.at };
}
