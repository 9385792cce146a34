/** Delivers pictures to a customer's bucket. For a set, the manifest that lists them is uploaded last. */

import type { DeliveryOptions } from '../webhooks/deliveryOptions.ts';
import type { CompleteDelivery } from '../webhooks/deliveryToSend.ts';
import type { SentDelivery } from '../webhooks/deliveryWorker.ts';
import { accountOf } from './connectorAccount.ts';
import { findS3Connector } from './connectorQueries.ts';
import { adPictures, type SetPicture, setPictures } from './deliveredPictures.ts';
import { adFrameKey, adPreviewKey, manifestKey, screenshotKey } from './objectKeys.ts';
import { RoleError } from './roleErrors.ts';
import { type BucketUploadResult, uploadToBucket } from './s3Upload.ts';

/** One object to upload. `read` loads its bytes just before the upload. */
interface ObjectUpload {
  readonly key: string;
  readonly contentType: string;
  read(): Promise<Buffer>;
}

type UploadResult = Omit<BucketUploadResult, 'durationMs'>;

const UPLOAD_CONCURRENCY = 4;

/** Uploads everything, also after an incomplete attempt, because the same uploads leave the same objects. */
export async function deliverToBucket(
  delivery: CompleteDelivery,
  options: DeliveryOptions,
  signal: AbortSignal,
): Promise<SentDelivery> {
  const started = performance.now();
  const result = await uploadAll(delivery, options, signal);
  return { ...result, durationMs: Math.round(performance.now() - started) };
}

async function uploadAll(
  delivery: CompleteDelivery,
  options: DeliveryOptions,
  signal: AbortSignal,
): Promise<UploadResult> {
  const { organization_id: organizationId, connector: name } = delivery;
  const row = await findS3Connector(options.store.db, { organizationId, name });
  if (row === undefined) return { outcome: 'retry', error: `The organization no longer has the connector ${name}.` };
  const put = async ({ key, contentType, read }: ObjectUpload) =>
    uploadToBucket({
      connector: await accountOf(row, options.roles),
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
  put: (upload: ObjectUpload) => Promise<UploadResult>,
): Promise<UploadResult> {
  const waiting = [...uploads];
  let success: UploadResult = { outcome: 'delivered' };
  let failure: UploadResult | undefined;
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
  const picture = (key: string, artifactKey: string): ObjectUpload => ({
    key,
    contentType: 'image/png',
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
    pictures: rows.map(({ key, artifact_key }) => picture(key, artifact_key)),
    last: {
      key: manifestKey({ keyPrefix, setId }),
      contentType: 'application/json',
      read: async () => Buffer.from(manifest),
    },
  };
}

/** @returns the manifest: what the files are, the event, and the key, SHA-256 and warnings of each picture. */
function manifestText(
  body: string,
  files: readonly (Pick<SetPicture, 'id' | 'sha256' | 'warnings'> & { key: string })[],
): string {
  const event: unknown = JSON.parse(body);
  const listed = files.map(({ id, key, sha256, warnings }) => ({ screenshot_id: id, key, sha256, warnings }));
  return `${JSON.stringify({ kind: 'placement_preview', event, files: listed }, null, 2)}\n`;
}
