import { pipeline, Readable } from 'node:stream';
import { PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { guardedAgents } from '../egress/agent.ts';
import { limitBytes } from '../egress/body.ts';
import type { Guard } from '../egress/guard.ts';

/** The S3 account of an organization's connector, in the form of the S3 client. */
export interface S3Account {
  /** The URL of a server other than AWS. */
  endpoint?: string | undefined;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  forcePathStyle?: boolean | undefined;
}

export interface BucketUpload {
  connector: S3Account;
  bucket: string;
  /** The region of the bucket; the connector's region by default. */
  region?: string | undefined;
  key: string;
  bytes: Buffer;
  contentType: string;
  guard: Guard;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface BucketUploadResult {
  outcome: 'delivered' | 'retry';
  statusCode?: number;
  /** Why the upload failed, for the customer. */
  error?: string;
  durationMs: number;
}

const TIMEOUT_MS = 60_000;
/** The response to an upload is a few headers or a short error document. */
const MAX_RESPONSE_BYTES = 256 * 1024;

/**
 * Uploads one object to a customer's bucket through the guard. Repeating an upload leaves the same object.
 * Errors of the bucket or its server are results, not exceptions. Every failed upload can be retried.
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
    const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes, ContentType: contentType });
    const { $metadata } = await client.send(command, { abortSignal });
    return { outcome: 'delivered', ...statusOf($metadata.httpStatusCode) };
  } catch (error) {
    if (deadline.aborted) return { outcome: 'retry', error: `The upload took longer than ${timeoutMs} ms.` };
    return { outcome: 'retry', ...explain(error, attempt) };
  } finally {
    client?.destroy();
  }
}

function openClient({ connector, region, guard }: BucketUpload, timeoutMs: number): S3Client {
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
      ...guardedAgents(guard, { keepAlive: false }),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
    },
  });
  limitResponses(client);
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

const REASONS: Readonly<Record<string, (attempt: BucketUpload) => string>> = {
  NoSuchBucket: ({ bucket }) => `The bucket ${bucket} does not exist.`,
  AccessDenied: ({ bucket }) => `The connector is not allowed to write to the bucket ${bucket}.`,
  InvalidAccessKeyId: () => 'The server does not know the access key of the connector.',
  SignatureDoesNotMatch: () => 'The secret key of the connector is wrong.',
  ExpiredToken: () => "The connector's session has expired.",
  PermanentRedirect: ({ bucket }) => `The bucket ${bucket} is in another region.`,
  AuthorizationHeaderMalformed: ({ bucket }) => `The bucket ${bucket} is in another region.`,
  SlowDown: () => 'The server asks for fewer requests (SlowDown).',
};

function explain(error: unknown, attempt: BucketUpload): { error: string; statusCode?: number } {
  if (!(error instanceof Error)) return { error: String(error) };
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  const reason = REASONS[error.name]?.(attempt) ?? describe(error, status);
  return { error: reason, ...statusOf(status) };
}

function describe(error: Error, status: number | undefined): string {
  const words = error.message === '' || error.message === 'UnknownError' ? error.name : error.message;
  return status === undefined ? words : `The server answered ${status}: ${words.replace(/\.+$/, '')}.`;
}

function statusOf(statusCode: number | undefined): { statusCode?: number } {
  return statusCode === undefined ? {} : { statusCode };
}
