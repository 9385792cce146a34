/** Delivers pictures to a customer's bucket. For a set, the manifest that lists them is uploaded last. */
import { adPictures, type SetPicture, setPictures } from '../store/deliveries/deliveredPictures.ts';
import { type DeliveryToSend, readConnector } from '../store/deliveries/deliveryToSend.ts';
import type { DeliveryAttemptResult } from '../workflow/deliveryAttempts.ts';
import { adFrameKey, adPreviewKey, manifestKey, screenshotKey } from './objectKeys.ts';
import type { DeliveryOptions } from './options.ts';
import { uploadToBucket } from './s3Upload.ts';

/** One object to upload. `read` loads its bytes just before the upload. */
interface ObjectUpload {
  readonly key: string;
  readonly contentType: string;
  read(): Promise<Buffer>;
}

const UPLOAD_CONCURRENCY = 4;

/** Uploads everything, also after an incomplete attempt, because the same uploads leave the same objects. */
export async function deliverToBucket(
  delivery: DeliveryToSend,
  options: DeliveryOptions,
  signal: AbortSignal,
): Promise<DeliveryAttemptResult> {
  const started = performance.now();
  const result = await uploadAll(delivery, options, signal);
  return {
    outcome: result.outcome,
    statusCode: result.statusCode,
    error: result.error,
    responseSnippet: undefined,
    durationMs: Math.round(performance.now() - started),
  };
}

async function uploadAll(
  delivery: DeliveryToSend,
  options: DeliveryOptions,
  signal: AbortSignal,
): Promise<{ outcome: 'delivered' | 'retry'; statusCode?: number; error?: string }> {
  const row = await readConnector(options.store.db, delivery.organization_id);
  if (row === undefined) return { outcome: 'retry', error: 'The organization no longer has an S3 connector.' };
  const connector = {
    ...(row.endpoint !== null && { endpoint: row.endpoint }),
    region: row.region,
    accessKeyId: row.access_key_id,
    secretAccessKey: row.secret_access_key,
    forcePathStyle: row.force_path_style,
  };
  const region = delivery.region ?? undefined;
  const put = async ({ key, contentType, read }: ObjectUpload) =>
    uploadToBucket({
      connector,
      key,
      contentType,
      region,
      signal,
      bucket: delivery.bucket ?? '',
      bytes: await read(),
      guard: options.guard,
    });
  const { pictures, last } = await uploadsOf(delivery, options);
  const failure = await firstFailure(pictures, put);
  if (failure !== undefined) return failure;
  return last === undefined ? { outcome: 'delivered' } : put(last);
}

/** Uploads concurrently and starts no upload after one has failed. */
async function firstFailure<R extends { outcome: string }>(
  uploads: readonly ObjectUpload[],
  put: (upload: ObjectUpload) => Promise<R>,
): Promise<R | undefined> {
  const waiting = [...uploads];
  let failure: R | undefined;
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined && failure === undefined; next = waiting.shift()) {
      const result = await put(next);
      if (result.outcome !== 'delivered') failure ??= result;
    }
  };
  await Promise.all(Array.from({ length: UPLOAD_CONCURRENCY }, worker));
  return failure;
}

async function uploadsOf(
  { ad_id: adId, set_id: setId, keyPrefix, body }: DeliveryToSend,
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
