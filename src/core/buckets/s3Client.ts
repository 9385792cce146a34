/** A client for the S3 account of a customer. All its connections go through the guard. */

import { pipeline, Readable } from 'node:stream';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { sendContentMd5 } from '../../artifacts/contentMd5.ts';
import type { Encryption, StorageClass } from '../../domain/connectors.ts';
import { guardedAgents } from '../../egress/agent.ts';
import { limitBytes } from '../../egress/body.ts';
import { EgressRefusedError } from '../../egress/errors.ts';
import type { Guard } from '../../egress/guard.ts';
import { secondsText } from '../../lib/secondsText.ts';
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
}

const TIMEOUT_MS = 60_000;

/** The S3 account of an organization's connector, in the form of the S3 client. */
export interface S3Account {
  /** The URL of a server other than AWS. */
  endpoint?: string | undefined;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  forcePathStyle?: boolean | undefined;
  /** How the server encrypts and stores the objects. Undefined: the default of the bucket. */
  encryption?: Encryption | undefined;
  kmsKeyId?: string | undefined;
  storageClass?: StorageClass | undefined;
}

/** Whose permissions count. Only roles have session tokens. */
export const identityOf = ({ sessionToken }: S3Account) => (sessionToken === undefined ? 'access key' : 'role');

export interface BucketTarget {
  connector: S3Account;
  bucket: string;
  /** The region of the bucket; the connector's region by default. */
  region?: string | undefined;
  guard: Guard;
}

/** The response to an upload is a few headers or a short error document. */
const MAX_RESPONSE_BYTES = 256 * 1024;

export function openClient({ connector, region, guard }: BucketTarget, timeoutMs: number): S3Client {
  const { endpoint, forcePathStyle, accessKeyId, secretAccessKey, sessionToken } = connector;
  const client = new S3Client({
    region: region ?? connector.region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    ...(endpoint !== undefined && { endpoint }),
    ...(forcePathStyle !== undefined && { forcePathStyle }),
    // The delivery is retried for a day, so the client does not retry. It follows redirects to the bucket's region.
    maxAttempts: 1,
    followRegionRedirects: endpoint === undefined,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    requestHandler: {
      ...guardedAgents(guard),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
    },
  });
  limitResponses(client);
  sendContentMd5(client);
  return client;
}

/** Limits the size of responses, because the SDK reads each one completely into memory. */
function limitResponses(client: S3Client): void {
  const handler = client.config.requestHandler;
  const handle = handler.handle.bind(handler);
  handler.handle = async (request, options) => {
    const result = await handle(request, options);
    const { response } = result;
    if (hasReadableBody(response))
      response.body = pipeline(response.body, limitBytes(MAX_RESPONSE_BYTES), () => undefined);
    return result;
  };
}

function hasReadableBody(response: unknown): response is { body: Readable } {
  if (typeof response !== 'object' || response === null || !('body' in response)) return false;
  const { body } = response;
  return body instanceof Readable;
}

/**
 * Uploads one object to a customer's bucket through the guard. Repeating an upload leaves the same object.
 * Errors of the bucket or its server are results, not exceptions. A failed upload can be retried, but not a refused one.
 */
export async function uploadToBucket(attempt: BucketUpload): Promise<BucketUploadResult> {
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
    if (deadline.aborted) return { outcome: 'retry', error: `The upload took longer than ${secondsText(timeoutMs)}.` };
    const outcome = error instanceof EgressRefusedError ? 'refused' : 'retry';
    const call = { bucket, action: 's3:PutObject', identity: identityOf(attempt.connector) } as const;
    return { outcome, ...explainS3(error, call) };
  } finally {
    client?.destroy();
  }
}
