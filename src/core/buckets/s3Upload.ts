import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { EgressRefusedError } from '../../egress/errors.ts';
import { type BucketTarget, identityOf, openClient } from './s3Client.ts';
import { explainS3 } from './s3Errors.ts';

export interface BucketUpload extends BucketTarget {
  key: string;
  bytes: Buffer;
  contentType: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface BucketUploadResult {
  /** `refused`: the service does not connect to the address, so a retry would not help. */
  outcome: 'delivered' | 'retry' | 'refused';
  statusCode?: number;
  /** Why the upload failed, for the customer. */
  error?: string;
  /** How long the server asks us to wait. */
  retryAfterMs?: number;
  durationMs: number;
}

const TIMEOUT_MS = 60_000;

/**
 * Uploads one object to a customer's bucket through the guard. Repeating an upload leaves the same object.
 * Errors of the bucket or its server are results, not exceptions. A failed upload can be retried, but not a refused one.
 */
export async function uploadToBucket(attempt: BucketUpload): Promise<BucketUploadResult> {
  const started = performance.now();
  const result = await put(attempt);
  return { ...result, durationMs: Math.round(performance.now() - started) };
}

async function put(attempt: BucketUpload): Promise<Omit<BucketUploadResult, 'durationMs'>> {
  const { bucket, key, bytes, contentType, timeoutMs = TIMEOUT_MS } = attempt;
  const deadline = AbortSignal.timeout(timeoutMs);
  const abortSignal = attempt.signal ? AbortSignal.any([deadline, attempt.signal]) : deadline;
  let client: S3Client | undefined;
  try {
    client = openClient(attempt, timeoutMs);
    const { encryption, kmsKeyId, storageClass } = attempt.connector;
    const put = new PutObjectCommand({
      ...{ Bucket: bucket, Key: key, Body: bytes, ContentType: contentType },
      ...(encryption !== undefined && { ServerSideEncryption: encryption }),
      ...(kmsKeyId !== undefined && { SSEKMSKeyId: kmsKeyId }),
      ...(storageClass !== undefined && { StorageClass: storageClass }),
    });
    const { httpStatusCode: statusCode = 200 } = (await client.send(put, { abortSignal })).$metadata;
    return { outcome: 'delivered', statusCode };
  } catch (error) {
    if (deadline.aborted) return { outcome: 'retry', error: `The upload took longer than ${timeoutMs} ms.` };
    const outcome = error instanceof EgressRefusedError ? 'refused' : 'retry';
    const call = { bucket, action: 's3:PutObject', identity: identityOf(attempt.connector) } as const;
    return { outcome, ...explainS3(error, call) };
  } finally {
    client?.destroy();
  }
}
