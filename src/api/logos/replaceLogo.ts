import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import type { ArtifactStore } from '../../artifacts/store.ts';
import { changeLogo } from '../../core/organizations/settings.ts';
import { insertImages } from '../../core/sets/images.ts';
import type { Database } from '../../db/database.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { invalid } from '../../domain/failure.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** The most pixels of the file, and the largest sides of the stored logo. */
const MAX_INPUT_PIXELS = 40_000_000;
const MAX_SIDES = { width: 1_200, height: 600 };
const TIMEOUT_SECONDS = 5;
const FORMATS: readonly string[] = ['png', 'jpeg', 'webp', 'svg'];
/** The resolution at which a pixel of an SVG is a pixel of the logo. Small ones are drawn larger, so that they stay sharp. */
const DENSITY = 72;
const MAX_DENSITY = 8 * DENSITY;

interface RasterizedLogo {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
}

export const MAX_LOGO_BYTES = 1024 * 1024;

interface LogoStores {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
}

/** Stores the file as a PNG, and nothing else of it. @throws Failure (422) if it is no picture of an accepted format. */
export async function replaceLogo(
  { db, artifacts }: LogoStores,
  { organizationId, file }: { readonly organizationId: string; readonly file: Buffer },
  actor: Actor,
): Promise<void> {
  const { png, width, height } = await rasterizeLogo(file);
  const key = `logos/${randomUUID()}.png`;
  await artifacts.put(key, png, 'image/png');
  const image = { organizationId, key, sha256: sha256Of(png), bytes: png.length, width, height };
  await db.transaction().execute(async (tx) => {
    const [token = null] = await insertImages(tx, [image]);
    await changeLogo(tx, organizationId, token, actor);
  });
}

/** @throws Failure (422) if the bytes are not a picture of an accepted format, or if the picture is too large. */
async function rasterizeLogo(bytes: Buffer): Promise<RasterizedLogo> {
  // librsvg loads nothing from outside of the SVG, because the bytes have no address that a reference could start from.
  const options = { limitInputPixels: MAX_INPUT_PIXELS, failOn: 'error', density: DENSITY } as const;
  try {
    const { format, width, height } = await sharp(bytes, options).metadata();
    if (!FORMATS.includes(format)) throw notALogo();
    const density = Math.max(1, Math.min(MAX_DENSITY, DENSITY * fittingScale({ width, height })));
    const { data, info } = await sharp(bytes, { ...options, density })
      .autoOrient()
      .resize({ ...MAX_SIDES, fit: 'inside', withoutEnlargement: true })
      .toColorspace('srgb')
      .png()
      .timeout({ seconds: TIMEOUT_SECONDS })
      .toBuffer({ resolveWithObject: true });
    return { png: data, width: info.width, height: info.height };
  } catch {
    throw notALogo();
  }
}

function fittingScale({ width, height }: { width: number; height: number }): number {
  return Math.min(MAX_SIDES.width / width, MAX_SIDES.height / height);
}

const notALogo = () =>
  invalid({
    body: [`must be a PNG, JPEG, WebP or SVG file with at most ${MAX_INPUT_PIXELS.toLocaleString('en')} pixels.`],
  });
