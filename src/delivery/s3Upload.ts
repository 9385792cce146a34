import { pipeline, Readable } from 'node:stream';
import { PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { guardedAgents } from '../egress/agent.ts';
import { byteCap } from '../egress/byteCap.ts';
import type { Guard } from '../egress/guard.ts';

/** How an organization's bucket is reached. */
export interface S3Connector {
  /** A server other than AWS. */
  endpoint?: string | undefined;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  forcePathStyle?: boolean | undefined;
}

export interface UploadTry {
  connector: S3Connector;
  bucket: string;
  /** Of the bucket; the connector's own unless given. */
  region?: string | undefined;
  key: string;
  bytes: Buffer;
  contentType: string;
  guard: Guard;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface UploadResult {
  outcome: 'delivered' | 'retry';
  statusCode?: number;
  /** Why it was not delivered, for the customer. */
  error?: string;
  durationMs: number;
}

const TIMEOUT_MS = 60_000;
/** The answer to an upload is a few headers, or a short document that says what is wrong. */
const MAX_ANSWER_BYTES = 256 * 1024;

/**
 * Stores one object in a customer's bucket, through the guard. The same try made twice leaves the same object.
 * Never throws for what the bucket or its server does: all that is not delivered may be tried again.
 */
export async function uploadToBucket(attempt: UploadTry): Promise<UploadResult> {
  const started = performance.now();
  const result = await put(attempt);
  return { ...result, durationMs: Math.round(performance.now() - started) };
}

async function put(attempt: UploadTry): Promise<Omit<UploadResult, 'durationMs'>> {
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
    if (deadline.aborted) return { outcome: 'retry', error: `The upload did not end within ${timeoutMs} ms.` };
    return { outcome: 'retry', ...explain(error, attempt) };
  } finally {
    client?.destroy();
  }
}

function openClient({ connector, region, guard }: UploadTry, timeoutMs: number): S3Client {
  const { endpoint, forcePathStyle, accessKeyId, secretAccessKey, sessionToken } = connector;
  const client = new S3Client({
    region: region ?? connector.region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    ...(endpoint !== undefined && { endpoint }),
    ...(forcePathStyle !== undefined && { forcePathStyle }),
    // The delivery itself is tried again, for a day; the customer's own region is found for them.
    maxAttempts: 1,
    followRegionRedirects: endpoint === undefined,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    requestHandler: {
      ...guardedAgents(guard, { keepAlive: false }),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
    },
  });
  boundAnswers(client);
  return client;
}

/** The SDK reads an answer whole before it looks at it. */
function boundAnswers(client: S3Client): void {
  const handler = client.config.requestHandler;
  const handle = handler.handle.bind(handler);
  handler.handle = async (request, options) => {
    const answer = await handle(request, options);
    const { response } = answer;
    if (hasReadableBody(response)) response.body = pipeline(response.body, byteCap(MAX_ANSWER_BYTES), () => undefined);
    return answer;
  };
}

function hasReadableBody(response: unknown): response is { body: Readable } {
  if (typeof response !== 'object' || response === null || !('body' in response)) return false;
  const { body } = response;
  return body instanceof Readable;
}

const REASONS: Readonly<Record<string, (attempt: UploadTry) => string>> = {
  NoSuchBucket: ({ bucket }) => `There is no bucket ${bucket}.`,
  AccessDenied: ({ bucket }) => `The connector may not write to the bucket ${bucket}.`,
  InvalidAccessKeyId: () => 'The access key of the connector is not known there.',
  SignatureDoesNotMatch: () => 'The secret key of the connector is not the right one.',
  ExpiredToken: () => "The connector's session has expired.",
  PermanentRedirect: ({ bucket }) => `The bucket ${bucket} is in another region.`,
  AuthorizationHeaderMalformed: ({ bucket }) => `The bucket ${bucket} is in another region.`,
  SlowDown: () => 'The server asks to slow down.',
};

function explain(error: unknown, attempt: UploadTry): { error: string; statusCode?: number } {
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
