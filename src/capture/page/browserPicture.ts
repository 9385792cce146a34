import type { Warning } from '../../domain/warnings.ts';
import { changedShare, type PixelBox } from '../compose/pixels.ts';
import { Camera } from './camera.ts';
import type { FoundSlot } from './findSlots.ts';
import type { LivePage, StagedSlot } from './livePage.ts';
import { faultOfGeometry, geometryOf, showsAd, warningsOf } from './pictureCheck.ts';
import type { PreparedSlot, PrepareRequest } from './preparedSlot.ts';

export interface BrowserPicture {
  readonly png: Buffer;
  /** The ad in the picture, device pixels. */
  readonly box: PixelBox;
  readonly warnings: readonly Warning[];
  readonly at: Date;
}

export interface BrowserPictureRequest extends PrepareRequest {
  readonly spot: PreparedSlot;
  /** The ad. */
  readonly png: Buffer;
}

/** A page may cover the ad while the picture is taken. */
const MAX_CAPTURES = 3;

/** A picture in which the browser paints the ad. @throws Error if no capture shows the whole ad. */
export async function captureAd(
  live: LivePage,
  slot: FoundSlot,
  request: BrowserPictureRequest,
): Promise<BrowserPicture> {
  const staged = await live.stage(slot, request.size, request.minZoom);
  try {
    for (let attempt = 0; attempt < MAX_CAPTURES; attempt++) {
      await staged.bringIntoView(attempt === 0 ? request.spot.view : { ...request.spot.view, thorough: true });
      const picture = await captureOnce(live, staged, request);
      if (picture !== undefined) return { ...picture, warnings: [...staged.warnings, ...picture.warnings] };
    }
    throw new Error('the page covered the ad while the picture was taken');
  } finally {
    await staged.end();
  }
}

/** @returns undefined if the picture does not show the whole ad. */
async function captureOnce(
  live: LivePage,
  staged: StagedSlot,
  request: BrowserPictureRequest,
): Promise<BrowserPicture | undefined> {
  const { spot, png, area } = request;
  const geometry = await geometryOf(live, staged, area);
  if (faultOfGeometry(geometry, request) !== undefined) return undefined;
  const { clip } = geometry;
  const box = measuredBox(spot.box, geometry.box);
  const camera = new Camera(live, clip);
  const first = await camera.show(staged, png);
  const shown = await camera.until((picture) => changedShare(spot.page, picture, box) > 0.02, first);
  const without = await camera.show(staged, null);
  const [picture, page] = await Promise.all([shown.pixels, without.pixels]);
  const isWhole = await showsAd(picture, page, { png, box });
  return isWhole ? { png: shown.png, box, at: shown.at, warnings: warningsOf(geometry) } : undefined;
}

/** The browser rounds to another pixel now and then. The probe picture was measured, so its box is more exact. */
function measuredBox(measured: PixelBox, expected: PixelBox): PixelBox {
  const isSame = (['x', 'y', 'width', 'height'] as const).every(
    (side) => Math.abs(measured[side] - expected[side]) <= 2,
  );
  return isSame ? measured : expected;
}
