import { PageComposer } from '../compose/pageComposer.ts';
import { changedShare, type PixelBox, type Pixels } from '../compose/pixels.ts';
import { findProbe, judgeProbe, probePicture } from '../compose/probe.ts';
import { Camera, type Test } from './camera.ts';
import type { FoundSlot } from './findSlots.ts';
import type { LivePage, StagedSlot } from './livePage.ts';

/** One ad's place on the page, tried out: what the page looks like around it, and how its picture is made. */
export interface Spot {
  readonly page: Pixels;
  readonly box: PixelBox;
  /** Where composition gives what the browser would paint. */
  readonly composer: PageComposer | undefined;
  /** The part of the ad that is seen, 0…1. */
  readonly shown: number;
  /** What had to be done to the page, in words. */
  readonly notes: readonly string[];
  readonly capturedAt: Date;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Shows a probe in the slot, to learn from pixels whether composition gives what the browser would paint. */
export async function tryOut(
  live: LivePage,
  slot: FoundSlot,
  /** CSS pixels of the ad, and the pixels of its picture where that is shown as it is. */
  { size, pixels }: { readonly size: Size; readonly pixels: Size | undefined },
): Promise<Spot> {
  const staged = await live.stage(slot, size);
  try {
    const ratio = await live.pixelRatio();
    const expected = inDevicePixels(staged.rect, ratio);
    const probe = await probePicture(pixels ?? expected);
    const sought = { pixels: probe.pixels, expected };
    const { probed, page, at } = await withAndWithout(staged, new Camera(live), {
      probe: probe.png,
      has: (picture) => findProbe(picture, sought) !== undefined,
      differs: (one, two) => changedShare(one, two, expected) > 0.1,
    });
    const { composable, box, shown } = judgeProbe(page, probed, sought);
    const composer = composable ? new PageComposer(page, box) : undefined;
    return { page, box, shown, composer, notes: staged.notes, capturedAt: at };
  } finally {
    await staged.end();
  }
}

interface Probing {
  readonly probe: Buffer;
  readonly has: Test;
  readonly differs: (one: Pixels, two: Pixels) => boolean;
}

/** The slot with the probe and without an ad: one right after the other, and with patience where that did not do. */
async function withAndWithout(
  staged: StagedSlot,
  camera: Camera,
  { probe, has, differs }: Probing,
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
