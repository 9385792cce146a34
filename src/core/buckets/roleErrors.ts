/** Why a role could not be assumed, in words for the customer. */
import { EgressRefusedError } from '../../egress/errors.ts';

/** Its message is for the customer. */
export class RoleError extends Error {
  override readonly name = 'RoleError';
}

interface Call {
  readonly arn: string;
  readonly externalId: string;
  readonly region: string;
  /** ARN of the service's own identity. */
  readonly principal: string;
}

type Reason = (call: Call, code: string) => string;

const notAccepted: Reason = (_, code) =>
  `AWS does not accept the identity of this service (${code}). Its operator must renew it.`;
const busy: Reason = (_, code) => `AWS STS asks for fewer requests (${code}).`;

const REASONS: Readonly<Record<string, Reason>> = {
  AccessDenied: ({ arn, externalId, principal }) =>
    `AWS does not let this service assume the role ${arn}. Its trust policy must allow sts:AssumeRole for ${principal} with the condition sts:ExternalId = ${externalId}.`,
  RegionDisabledException: ({ region }) => `AWS STS is not active in the region ${region} for the account of the role.`,
  CredentialsProviderError: () => 'This service has no AWS identity. Its operator must give one to the pods.',
  InvalidClientTokenId: notAccepted,
  UnrecognizedClientException: notAccepted,
  SignatureDoesNotMatch: notAccepted,
  ExpiredToken: notAccepted,
  ExpiredTokenException: notAccepted,
  InvalidIdentityToken: notAccepted,
  InvalidIdentityTokenException: notAccepted,
  IDPRejectedClaim: notAccepted,
  IDPRejectedClaimException: notAccepted,
  Throttling: busy,
  ThrottlingException: busy,
};

export function explainSts(error: unknown, call: Call): RoleError {
  return new RoleError(textOf(error, call), { cause: error });
}

function textOf(error: unknown, call: Call): string {
  if (error instanceof EgressRefusedError)
    return 'The address of AWS STS is not public, so this service does not connect to it. An operator can allow addresses with EGRESS_ALLOW.';
  const code = error instanceof Error ? error.name : 'unknown error';
  const known = REASONS[code];
  if (known !== undefined) return known(call, code);
  const status = statusOf(error);
  if (status !== undefined) return `AWS STS answered ${status} (${code}) for the role ${call.arn}.`;
  return `AWS STS could not be reached (${code}).`;
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}
