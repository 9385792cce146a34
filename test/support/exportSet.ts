/** Stores an approved set with real pictures, as captures and settlement leave it. */
import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import type { ArtifactStore } from '../../src/artifacts/store.ts';
import { insertImages } from '../../src/core/sets/images.ts';
import type { Database } from '../../src/db/database.ts';
import { ANIMATION_FORMATS, type AnimationFormat } from '../../src/domain/animations.ts';
import type { DeviceName } from '../../src/domain/devices.ts';
import type { SetStatus } from '../../src/domain/states.ts';
import { pictureMark, withMark } from '../../src/lib/pictureMark.ts';
import { sha256Of } from '../../src/lib/sha256.ts';
import type { TestOrganization } from './insertRows.ts';

export interface TestShot {
  readonly ad?: string;
  readonly site?: string;
  readonly device?: DeviceName;
  readonly markerMs?: number;
  /** Without it, the screenshot has a picture. */
  readonly failure?: string;
  /** The screenshot that this one takes again. */
  readonly retakeOf?: string | undefined;
}

const SIZES: Readonly<Partial<Record<DeviceName, readonly [number, number, number]>>> = {
  desktop: [720, 450, 1],
  iphone: [390, 844, 1],
};

export interface TestSet {
  readonly id: string;
  /** Ids of the screenshots, in the order of the shots. */
  readonly shots: readonly string[];
  readonly tokens: readonly string[];
  readonly sums: readonly string[];
}

export async function insertExportSet(
  { db, artifacts, organization }: { db: Database; artifacts: ArtifactStore; organization: TestOrganization },
  shots: readonly TestShot[],
  { retakeOf, status = 'approved' }: { retakeOf?: string; status?: SetStatus } = {},
): Promise<TestSet> {
  const id = randomUUID();
  const owner = { organization_id: organization.id, campaign_id: organization.campaignId };
  const retaken = { retake_of: retakeOf ?? null, original_id: retakeOf ?? null };
  const set = { id, ...owner, ...retaken, status, settled_at: new Date() };
  await db.insertInto('screenshot_sets').values(set).execute();
  const ads = new Map<string, string>();
  const [tokens, sums, ids]: [string[], string[], string[]] = [[], [], []];
  for (const [seq, shot] of shots.entries()) {
    const { ad = 'Spring', site = 'https://news.example/', device = 'desktop', markerMs = null, failure } = shot;
    const adId = ads.get(ad) ?? randomUUID();
    if (!ads.has(ad)) {
      const row = { id: adId, ...owner, name: ad, kind: 'html_tag' as const, content: 'x', width: 300, height: 250 };
      await db
        .insertInto('ads')
        .values({ ...row, source: 'screenshot_request' })
        .execute();
      ads.set(ad, adId);
    }
    const shotId = randomUUID();
    ids.push(shotId);
    const [width, height, ratio] = SIZES[device] ?? [600, 800, 1];
    const picture =
      failure === undefined ? await storePicture({ db, artifacts, organization }, { width, height, seq }) : null;
    if (picture !== null) {
      tokens.push(picture.token);
      sums.push(picture.sha256);
    }
    await db
      .insertInto('screenshots')
      .values({
        ...{ id: shotId, set_id: id, seq, ad_id: adId, site_url: site, site_key: site, device },
        ...{ marker_ms: markerMs, retake_of: shot.retakeOf ?? null, original_id: shot.retakeOf ?? null },
        status: picture === null ? 'no_slots' : 'uploaded',
        reason: failure ?? null,
        image_token: picture?.token ?? null,
        captured_at: new Date(Date.UTC(2026, 10, 21, 9, 30 + seq)),
        record: JSON.stringify({ kind: 'placement_preview', final_url: `${site}page`, ratio, sha256: picture?.sha256 }),
      })
      .execute();
  }
  return { id, shots: ids, tokens, sums };
}

let shade = 0;
const nextShade = () => {
  shade = (shade + 1) % 256;
  return shade;
};

async function storePicture(
  { db, artifacts, organization }: { db: Database; artifacts: ArtifactStore; organization: TestOrganization },
  { width, height, seq }: { width: number; height: number; seq: number },
): Promise<{ token: string; sha256: string }> {
  // No two pictures are equal.
  const background = { r: (seq * 37) % 256, g: (seq * 91) % 256, b: nextShade() };
  const plain = await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
  const png = withMark(plain, pictureMark(`picture ${seq}`));
  const sha256 = sha256Of(png);
  const key = `screenshots/${randomUUID()}.png`;
  await artifacts.put(key, png, 'image/png');
  const image = { organizationId: organization.id, key, sha256, bytes: png.length, width, height };
  const [token = ''] = await insertImages(db, [image]);
  return { token, sha256 };
}

/** Gives the screenshot an animation. @returns the bytes of its files. */
export async function insertAnimation(
  { db, artifacts, organization }: { db: Database; artifacts: ArtifactStore; organization: { readonly id: string } },
  screenshotId: string,
): Promise<Record<AnimationFormat, Buffer>> {
  const files = { webp: Buffer.from('RIFF, and it moves'), gif: Buffer.from('GIF89a, and it moves') };
  const stored = { seconds: 1, fps: 10, webp: {}, gif: {} };
  for (const format of ANIMATION_FORMATS) {
    const key = `screenshots/${randomUUID()}.${format}`;
    await artifacts.put(key, files[format], `image/${format}`);
    const facts = { sha256: sha256Of(files[format]), bytes: files[format].length, width: 10, height: 20 };
    const image = { organizationId: organization.id, key, contentType: `image/${format}`, ...facts };
    const [token] = await insertImages(db, [image]);
    stored[format] = { token, bytes: facts.bytes, width: 10, height: 20 };
  }
  const animation = JSON.stringify(stored);
  await db.updateTable('screenshots').set({ animation }).where('id', '=', screenshotId).execute();
  return files;
}
