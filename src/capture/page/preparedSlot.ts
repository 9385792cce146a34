import { PageComposer } from '../compose/pageComposer.ts';
import { changedShare, type PixelBox, type Pixels } from '../compose/pixels.ts';
import { findProbe, judgeProbe, probePicture } from '../compose/probe.ts';
import type { Size } from '../creative/size.ts';
import { Camera, type PixelTest } from './camera.ts';
import type { FoundSlot } from './findSlots.ts';
import type { LivePage, StagedSlot } from './livePage.ts';

/** A slot that was tested with a probe picture: the page around it, and how to make pictures with it. */
export interface PreparedSlot {
  readonly page: Pixels;
  readonly box: PixelBox;
  /** Set if composition gives the same pixels as the browser. */
  readonly composer: PageComposer | undefined;
  /** The visible share of the ad, 0 to 1. */
  readonly visibleShare: number;
  /** Sentences on changes to the page, for example a hidden overlay. */
  readonly notes: readonly string[];
  readonly capturedAt: Date;
}

/** Shows a probe picture in the slot. Its pixels tell whether composition gives the same result as the browser. */
export async function prepareSlot(
  live: LivePage,
  slot: FoundSlot,
  /** `size` in CSS pixels; `pixels` is the size of the ad's picture, if it is shown unscaled. */
  { size, pixels }: { readonly size: Size; readonly pixels: Size | undefined },
): Promise<PreparedSlot> {
  const staged = await live.stage(slot, size);
  try {
    const ratio = await live.pixelRatio();
    const expected = inDevicePixels(staged.rect, ratio);
    const probe = await probePicture(pixels ?? expected);
    const sought = { pixels: probe.pixels, expected };
    const { probed, page, at } = await captureWithAndWithoutProbe(staged, new Camera(live), {
      probe: probe.png,
      has: (picture) => findProbe(picture, sought) !== undefined,
      differs: (one, two) => changedShare(one, two, expected) > 0.1,
    });
    const { composable, box, shown: visibleShare } = judgeProbe(page, probed, sought);
    const composer = composable ? new PageComposer(page, box) : undefined;
    return { page, box, visibleShare, composer, notes: staged.notes, capturedAt: at };
  } finally {
    await staged.end();
  }
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

function inDevicePixels({ x, y, width, height }: PixelBox, ratio: number): PixelBox {
  const left = Math.round(x * ratio);
  const top = Math.round(y * ratio);
  return {
    x: left,
    y: top,
    width: Math.max(1, Math.round((x + width) * ratio) - left),
    height: Math.max(1, Math.round((y + height) * ratio) - top),
  };
}
