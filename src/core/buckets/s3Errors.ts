/** Why a call to a customer's bucket failed, in words for the customer. The texts of the S3 client itself are never shown. */

import { S3ServiceException } from '@aws-sdk/client-s3';
import {
  ConnectionFailedError,
  EgressRefusedError,
  HostNotFoundError,
  NetworkTimeoutError,
  ResponseTooLargeError,
  TlsError,
} from '../../egress/errors.ts';
import { errorName } from '../../lib/errorMessage.ts';
import { parseRetryAfter } from '../../lib/retryAfter.ts';

/** An action that the connector must be allowed to do. */
export type S3Action = 's3:PutObject' | 's3:DeleteObject';

export interface S3Failure {
  readonly error: string;
  readonly statusCode?: number;
  /** How long the server asks us to wait. */
  readonly retryAfterMs?: number;
}

interface Call {
  readonly bucket: string;
  /** The action that was refused, unless the server names another one. */
  readonly action: S3Action;
  /** Whose permissions count. */
  readonly identity: 'access key' | 'role';
}

/** The part of a failed response that says why. */
interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The code of an S3 error, for example `AccessDenied`. Undefined if the body was none, or if it was not read to its end. */
  readonly code: string | undefined;
  readonly message: string;
}

const MAX_MESSAGE = 300;

export function explainS3(error: unknown, call: Call, now = new Date()): S3Failure {
  const answer = answerOf(error);
  if (answer === undefined) return { error: withoutAnswer(error) };
  const { status, headers } = answer;
  const retryAfterMs = parseRetryAfter(headers['retry-after'] ?? null, now);
  return {
    error: (REASONS[answer.code ?? ''] ?? describe)(answer, call),
    ...(status !== undefined && { statusCode: status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function answerOf(error: unknown): Answer | undefined {
  if (!(error instanceof Error)) return undefined;
  const response = '$response' in error && isObject(error.$response) ? error.$response : {};
  const headers = 'headers' in response && isObject(response.headers) ? response.headers : {};
  const raw = 'statusCode' in response && typeof response.statusCode === 'number' ? response.statusCode : undefined;
  if (!(error instanceof S3ServiceException)) {
    const message = isOurs(error) ? error.message : '';
    return raw === undefined ? undefined : { status: raw, headers: textsOf(headers), code: undefined, message };
  }
  const { name, message, $metadata } = error;
  return { status: $metadata.httpStatusCode ?? raw, headers: textsOf(headers), code: name, message };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function textsOf(headers: object): Record<string, string> {
  const texts = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), value]));
}

type Reason = (answer: Answer, call: Call) => string;

const expired: Reason = () => "The connector's session has expired.";
const otherRegion: Reason = ({ headers, message }, { bucket }) => {
  const region = headers['x-amz-bucket-region'] ?? /expecting '([a-z0-9-]+)'/.exec(message)?.[1];
  const known = region === undefined ? '' : `: ${region}`;
  return `The bucket ${bucket} is in another region${known}. Name its region in the subscriber or in the connector.`;
};
const busy: Reason = ({ code }) => `The server asks for fewer requests (${code}).`;

const REASONS: Readonly<Record<string, Reason>> = {
  NoSuchBucket: (_, { bucket }) => `The bucket ${bucket} does not exist.`,
  AccessDenied: ({ message }, { bucket, action, identity }) => {
    const { permission = action, key } = deniedAction(message);
    const where = key === undefined ? `for the bucket ${bucket}` : `for the key ${key}`;
    return `The ${identity} of the connector lacks the permission ${permission} ${where}.`;
  },
  InvalidAccessKeyId: () => 'The server does not know the access key of the connector.',
  SignatureDoesNotMatch: () => 'The secret key of the connector is wrong.',
  ExpiredToken: expired,
  TokenRefreshRequired: expired,
  InvalidToken: () => "The connector's session token is not valid.",
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  IllegalLocationConstraintException: otherRegion,
  RequestTimeTooSkewed: () => 'The clocks of the S3 server and of this service differ too much.',
  'KMS.NotFoundException': () => 'The KMS key does not exist in the region of the bucket.',
  'KMS.DisabledException': () => 'The KMS key is disabled.',
  SlowDown: busy,
  ServiceUnavailable: busy,
  TooManyRequests: busy,
};

/** AWS names the action: "is not authorized to perform: kms:GenerateDataKey on resource: arn:aws:kms:… because …". */
function deniedAction(message: string): { permission?: string; key?: string } {
  const [, permission, resource] =
    /not authorized to perform: ([a-z0-9-]+:[A-Za-z]+)(?: on resource: (arn:\S+))?/.exec(message) ?? [];
  if (permission === undefined) return {};
  return permission.startsWith('kms:') && resource !== undefined ? { permission, key: resource } : { permission };
}

/** An answer whose code has no text of ours. The server's own message is the customer's, so it is shown, but not without a limit. */
function describe({ status, code, message }: Answer, { bucket, action, identity }: Call): string {
  if (code === undefined && message !== '') return message;
  if (code === undefined)
    return `The server answered ${status} with something other than an S3 response. Check that its address is that of an S3 server.`;
  const words = printable(message);
  if (words !== '' && !/^(Unknown|UnknownError)$/.test(words)) return `The server answered ${status}: ${words}.`;
  const hints: Readonly<Record<number, string>> = {
    403: `: check that the ${identity} has the permission ${action} for the bucket ${bucket}`,
    404: `: check that the bucket ${bucket} exists`,
  };
  return `The server answered ${status} without a reason${hints[status ?? 0] ?? ''}.`;
}

function printable(text: string): string {
  const line = text.replace(/\p{C}+/gu, ' ').trim();
  return (line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE).toWellFormed()}…` : line).replace(/\.+$/, '');
}

/** Our own errors are written for the customer, except refusals: they tell to what an internal name resolves. */
function withoutAnswer(error: unknown): string {
  if (error instanceof EgressRefusedError)
    return 'The address of the S3 server is not public, so this service does not connect to it. An operator can allow addresses with EGRESS_ALLOW.';
  if (isOurs(error)) return error.message;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'The server closed the connection before it answered.';
  if (code.startsWith('HPE_')) return 'The server does not answer in HTTP.';
  if (code === 'ERR_INVALID_URL') return 'The address of the S3 server is not valid.';
  if (error instanceof Error && error.name === 'TimeoutError') return 'The server did not answer in time.';
  return `The request could not be sent (${errorName(error)}).`;
}

const isOurs = (error: unknown): error is Error => OURS.some((type) => error instanceof type);
const OURS = [HostNotFoundError, ConnectionFailedError, NetworkTimeoutError, TlsError, ResponseTooLargeError];
