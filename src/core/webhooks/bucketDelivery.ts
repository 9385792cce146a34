/** Delivers pictures to a customer's bucket. For a set, the manifest that lists them is uploaded last. */

import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { AnimationFormat } from '../../domain/animations.ts';
import type { Warning } from '../../domain/warnings.ts';
import { findS3Connector } from '../buckets/connectorQueries.ts';
import { accountOf, RoleError } from '../buckets/connectorRoles.ts';
import { adFrameKey, adPreviewKey, manifestKey, screenshotKey } from '../buckets/objectKeys.ts';
import { type BucketUploadResult, uploadToBucket } from '../buckets/s3Client.ts';
import type { CompleteDelivery } from './deliveryToSend.ts';
import type { DeliveryOptions, SentDelivery } from './deliveryWorker.ts';

interface AdPicture {
  /** Null: the preview. */
  readonly marker_ms: number | null;
  readonly artifact_key: string;
}

interface SetPicture {
  readonly id: string;
  /** Its place in the set, from 1. */
  readonly number: number;
  readonly site_url: string;
  readonly device: string;
  readonly marker_ms: number | null;
  readonly ad_name: string;
  readonly artifact_key: string;
  readonly sha256: string;
  readonly webp_key: string | null;
  readonly gif_key: string | null;
  readonly warnings: readonly Warning[];
}

/** One object to upload. `read` loads its bytes just before the upload. */
interface ObjectUpload {
  readonly key: string;
  readonly contentType: string;
  read(): Promise<Buffer>;
}

const UPLOAD_CONCURRENCY = 4;

/** Uploads everything, also after an incomplete attempt, because the same uploads leave the same objects. */
export async function deliverToBucket(
  delivery: CompleteDelivery,
  options: DeliveryOptions,
  signal: AbortSignal,
): Promise<SentDelivery> {
  const { organization_id: organizationId, connector: name } = delivery;
  const row = await findS3Connector(options.store.db, { organizationId, name });
  if (row === undefined) return { outcome: 'retry', error: `The organization no longer has the connector ${name}.` };
  const put = async ({ key, contentType, read }: ObjectUpload) =>
    uploadToBucket({
      connector: await accountOf(options.store.db, row, options.roles),
      key,
      contentType,
      signal,
      region: delivery.region ?? undefined,
      bucket: delivery.bucket ?? '',
      bytes: await read(),
      guard: options.guard,
    });
  const { pictures, last } = await uploadsOf(delivery, options);
  try {
    const result = await putAll(pictures, put);
    return last === undefined || result.outcome !== 'delivered' ? result : await put(last);
  } catch (error) {
    if (error instanceof RoleError) return { outcome: 'retry', error: error.message };
    throw error;
  }
}

/** Uploads concurrently and starts no upload after one has failed. @returns the first failure, or else the last success. */
async function putAll(
  uploads: readonly ObjectUpload[],
  put: (upload: ObjectUpload) => Promise<BucketUploadResult>,
): Promise<BucketUploadResult> {
  const waiting = [...uploads];
  let success: BucketUploadResult = { outcome: 'delivered' };
  let failure: BucketUploadResult | undefined;
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined && failure === undefined; next = waiting.shift()) {
      const result = await put(next);
      if (result.outcome === 'delivered') success = result;
      else failure ??= result;
    }
  };
  await Promise.all(Array.from({ length: UPLOAD_CONCURRENCY }, worker));
  return failure ?? success;
}

async function uploadsOf(
  { ad_id: adId, set_id: setId, keyPrefix, body }: CompleteDelivery,
  options: DeliveryOptions,
): Promise<{ pictures: ObjectUpload[]; last?: ObjectUpload }> {
  const { db } = options.store;
  const picture = (key: string, artifactKey: string, format: 'png' | AnimationFormat = 'png'): ObjectUpload => ({
    key: inFormat(key, format),
    contentType: `image/${format}`,
    read: async () => (await options.artifacts.get(artifactKey)).bytes,
  });
  if (adId !== null) {
    const rows = await adPictures(db, adId);
    const keyOf = (markerMs: number | null) =>
      markerMs === null ? adPreviewKey({ keyPrefix, adId }) : adFrameKey({ keyPrefix, adId, markerMs });
    return { pictures: rows.map(({ marker_ms, artifact_key }) => picture(keyOf(marker_ms), artifact_key)) };
  }
  if (setId === null) throw new Error('unreachable: a delivery has neither an ad nor a set');
  const rows = (await setPictures(db, setId)).map((row) => {
    const { number, site_url: siteUrl, device, ad_name: ad, marker_ms } = row;
    const key = screenshotKey({ keyPrefix, setId, number, siteUrl, device, ad, markerMs: marker_ms ?? 0 });
    return { ...row, key };
  });
  const manifest = manifestText(body, rows);
  return {
    pictures: rows.flatMap(({ key, artifact_key, webp_key, gif_key }) => [
      picture(key, artifact_key),
      ...(webp_key === null ? [] : [picture(key, webp_key, 'webp')]),
      ...(gif_key === null ? [] : [picture(key, gif_key, 'gif')]),
    ]),
    last: {
      key: manifestKey({ keyPrefix, setId }),
      contentType: 'application/json',
      read: async () => Buffer.from(manifest),
    },
  };
}

const inFormat = (key: string, format: 'png' | AnimationFormat) => key.replace(/\.png$/, `.${format}`);

/** @returns the manifest: what the files are, the event, and the key, SHA-256, warnings and animation of each picture. */
function manifestText(
  body: string,
  files: readonly (Pick<SetPicture, 'id' | 'sha256' | 'warnings' | 'webp_key' | 'gif_key'> & { key: string })[],
): string {
  const event: unknown = JSON.parse(body);
  const listed = files.map(({ id, key, sha256, warnings, webp_key, gif_key }) => {
    const animation = webp_key !== null &&
      gif_key !== null && { webp: inFormat(key, 'webp'), gif: inFormat(key, 'gif') };
    return { screenshot_id: id, key, sha256, warnings, ...(animation && { animation }) };
  });
  return `${JSON.stringify({ kind: 'placement_preview', event, files: listed }, null, 2)}\n`;
}

/** The preview of an ad, and the moments that were captured together with it. */
async function adPictures(db: Queryable, adId: string): Promise<AdPicture[]> {
  const { rows } = await sql<AdPicture>`
    select null::integer as marker_ms, i.artifact_key
    from ads a join images i on i.token = a.preview_token where a.id = ${adId}
    union all
    select distinct on (f.marker_ms) f.marker_ms, i.artifact_key
    from ads a
    join creative_frames p on p.ad_id = a.id and p.image_token = a.preview_token
    join creative_frames f on f.job_id = p.job_id and f.ad_id = a.id and f.marker_ms >= 0 and f.ratio = p.ratio
    join images i on i.token = f.image_token
    where a.id = ${adId}
    order by marker_ms nulls first`.execute(db);
  return rows;
}

/** The pictures that were taken of a set, in the order of the request, without those that a reviewer rejected. */
export async function setPictures(db: Queryable, setId: string): Promise<SetPicture[]> {
  return db
    .selectFrom('screenshots as s')
    .innerJoin('images as i', 'i.token', 's.image_token')
    .leftJoin('images as w', (join) => join.on('w.token', '=', sql<string>`s.animation->'webp'->>'token'`))
    .leftJoin('images as g', (join) => join.on('g.token', '=', sql<string>`s.animation->'gif'->>'token'`))
    .innerJoin('ads as a', 'a.id', 's.ad_id')
    .select([
      's.id',
      sql<number>`s.seq + 1`.as('number'),
      's.site_url',
      's.device',
      's.marker_ms',
      'a.name as ad_name',
      'i.artifact_key',
      'i.sha256',
      'w.artifact_key as webp_key',
      'g.artifact_key as gif_key',
      's.warnings',
    ])
    .where('s.set_id', '=', setId)
    .where('s.status', '=', 'uploaded')
    .where(sql<boolean>`s.decision is distinct from 'rejected'`)
    .orderBy('s.seq')
    .execute();
}
