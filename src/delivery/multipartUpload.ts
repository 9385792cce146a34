/**
 * Uploads a large object in parts, each with a deadline of its own. The server keeps the parts of an upload that nobody
 * completes, and the customer pays for them. So a failed upload is aborted at once, and `abandonedUploads.ts` aborts that of
 * a process that was killed.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type PutObjectCommandInput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** Larger objects are uploaded in parts of half the size. S3 accepts parts of 5 MiB and more. */
export const LARGEST_SINGLE_UPLOAD = 16 * 1024 * 1024;
const PART_BYTES = LARGEST_SINGLE_UPLOAD / 2;
export const ABORT_MS = 10_000;

export interface MultipartUpload {
  readonly object: PutObjectCommandInput & { readonly Bucket: string; readonly Key: string; readonly Body: Buffer };
  readonly signal: AbortSignal;
  /** Called before the first part. If it fails, the upload is aborted. */
  readonly started?: ((uploadId: string) => Promise<void>) | undefined;
}

/** @returns the requests that an upload of so many bytes takes. */
export const requestsFor = (bytes: number) => (bytes <= LARGEST_SINGLE_UPLOAD ? 1 : Math.ceil(bytes / PART_BYTES) + 2);

/** @returns the status of the last response. @throws errors of the client, after the upload was aborted. */
export async function uploadInParts(client: S3Client, upload: MultipartUpload): Promise<number | undefined> {
  const { object, signal: abortSignal, started } = upload;
  const { Body: bytes, ...input } = object;
  const { Bucket, Key } = input;
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(input), { abortSignal });
  if (UploadId === undefined) throw new Error('The server began an upload in parts without an id.');
  const place = { Bucket, Key, UploadId };
  try {
    await started?.(UploadId);
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (let from = 0; from < bytes.byteLength; from += PART_BYTES) {
      const part = { PartNumber: Parts.length + 1, Body: bytes.subarray(from, from + PART_BYTES) };
      const { ETag } = await client.send(new UploadPartCommand({ ...place, ...part }), { abortSignal });
      Parts.push({ PartNumber: part.PartNumber, ETag });
    }
    const complete = new CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts } });
    return (await client.send(complete, { abortSignal })).$metadata.httpStatusCode;
  } catch (error) {
    // Its own failure says nothing new, and the queue entry tries again.
    await abortUpload(client, place).catch(() => undefined);
    throw error;
  }
}

/** @throws errors of the client: `NoSuchUpload` if the upload has ended. */
export async function abortUpload(
  client: S3Client,
  place: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
): Promise<void> {
  await client.send(new AbortMultipartUploadCommand(place), { abortSignal: AbortSignal.timeout(ABORT_MS) });
}
