/**
 * Roles of customers' AWS accounts. The service uses its own AWS identity to assume a role, with the organization's id as
 * external id. A role that also accepts another external id is refused, because another organization could name it too.
 */

import { randomUUID } from 'node:crypto';
import {
  createCredentialChain,
  fromNodeProviderChain,
  fromTemporaryCredentials,
  fromTokenFile,
} from '@aws-sdk/credential-providers';
import type { Queryable } from '../../db/database.ts';
import { guardedAgents } from '../../egress/agent.ts';
import { EgressRefusedError } from '../../egress/errors.ts';
import type { Guard } from '../../egress/guard.ts';
import { errorName } from '../../lib/errorMessage.ts';
import { setBounded } from '../../lib/lru.ts';
import { openConnectorSecret, type S3Connector } from './connectorQueries.ts';
import type { S3Account } from './s3Client.ts';

export interface ConnectorRole {
  readonly arn: string;
  readonly externalId: string;
  /** The region of the STS server. */
  readonly region: string;
}

export interface RoleCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface ConnectorRolesOptions {
  readonly guard: Guard;
  /** ARN of the identity that assumes roles, for error texts. */
  readonly principal: string;
  /** Address of STS for tests; that of AWS in the region of the role by default. */
  readonly endpoint?: string;
  readonly now?: () => number;
}

interface CachedRole {
  /** Renewed {@link RENEW_MS} before they expire. */
  readonly credentials: Promise<RoleCredentials & { readonly expiration?: Date }>;
  readonly since: number;
}

const REQUEST_MS = 10_000;
const SESSION_SECONDS = 3_600;
const RENEW_MS = 10 * 60_000;
/** A failure is used again for this time, so that deliveries that wait together make one call. */
const FAILED_MS = 5_000;
const MAX_CACHED = 1_000;

type Provider = () => Promise<RoleCredentials & { readonly expiration?: Date }>;

export class ConnectorRoles {
  readonly #options: ConnectorRolesOptions;
  readonly #cached = new Map<string, CachedRole>();
  /** Roles that refused a wrong external id. Checked once in each process. */
  readonly #guarded = new Map<string, true>();

  constructor(options: ConnectorRolesOptions) {
    this.#options = options;
  }

  /** @returns credentials that stay valid for ten minutes at least. @throws RoleError */
  async credentialsOf(role: ConnectorRole): Promise<RoleCredentials> {
    const id = JSON.stringify([role.arn, role.externalId, role.region]);
    const known = this.#cached.get(id);
    if (known !== undefined && (await this.#isFresh(known))) return known.credentials;
    // Another caller may have renewed them in the meantime.
    const current = this.#cached.get(id);
    if (current !== undefined && current !== known) return current.credentials;
    const credentials = this.#assume(role);
    setBounded(this.#cached, [id, { credentials, since: this.#now }], MAX_CACHED);
    return credentials;
  }

  async #isFresh({ credentials, since }: CachedRole): Promise<boolean> {
    const result = await credentials.catch(() => undefined);
    if (result === undefined) return this.#now - since < FAILED_MS;
    return result.expiration === undefined || result.expiration.getTime() - this.#now > RENEW_MS;
  }

  async #assume(role: ConnectorRole): Promise<RoleCredentials & { readonly expiration?: Date }> {
    const credentials = await this.#provider(role, role.externalId)().catch((error: unknown) => {
      throw explainSts(error, { ...role, principal: this.#options.principal });
    });
    await this.#requireExternalId(role);
    return credentials;
  }

  async #requireExternalId(role: ConnectorRole): Promise<void> {
    const { arn, externalId, region } = role;
    const id = JSON.stringify([arn, externalId]);
    if (this.#guarded.has(id)) return;
    const opened = await this.#provider(role, randomUUID())().catch((error: unknown) => {
      if (error instanceof Error && error.name === 'AccessDenied') return undefined;
      throw explainSts(error, { arn, externalId, region, principal: this.#options.principal });
    });
    if (opened !== undefined)
      throw new RoleError(
        `The role ${arn} accepts any external id, so another organization of this service could use it. Add the condition sts:ExternalId = ${externalId} to its trust policy.`,
      );
    setBounded(this.#guarded, [id, true], MAX_CACHED);
  }

  #provider({ arn, region }: ConnectorRole, externalId: string): Provider {
    const { guard, endpoint } = this.#options;
    const clientConfig = {
      region,
      ...(endpoint !== undefined && { endpoint }),
      maxAttempts: 2,
      requestHandler: {
        ...guardedAgents(guard),
        requestTimeout: REQUEST_MS,
        throwOnRequestTimeout: true,
      },
    };
    return fromTemporaryCredentials({
      // The token of the pod comes first, because the keys in the environment may be those of another S3 server.
      masterCredentials: createCredentialChain(
        fromTokenFile({ clientConfig }),
        fromNodeProviderChain({ clientConfig }),
      ),
      params: {
        ...{ RoleArn: arn, RoleSessionName: 'tearsheet' },
        ...{ DurationSeconds: SESSION_SECONDS, ExternalId: externalId },
      },
      clientConfig,
    });
  }

  get #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}

/** Its message is for the customer. */
export class RoleError extends Error {}

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

function explainSts(error: unknown, call: Call): RoleError {
  return new RoleError(textOf(error, call), { cause: error });
}

function textOf(error: unknown, call: Call): string {
  if (error instanceof EgressRefusedError)
    return 'The address of AWS STS is not public, so this service does not connect to it. An operator can allow addresses with EGRESS_ALLOW.';
  const code = errorName(error);
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

/** @returns the account of a stored connector. @throws RoleError if its role could not be assumed, Error if its secret cannot be opened. */
export async function accountOf(
  db: Queryable,
  row: S3Connector,
  roles: ConnectorRoles | undefined,
): Promise<S3Account> {
  return {
    ...(row.endpoint !== null && { endpoint: row.endpoint }),
    region: row.region,
    ...(await credentialsOf(db, row, roles)),
    forcePathStyle: row.force_path_style,
    encryption: row.encryption ?? undefined,
    kmsKeyId: row.kms_key_id ?? undefined,
    storageClass: row.storage_class ?? undefined,
  };
}

async function credentialsOf(
  db: Queryable,
  row: S3Connector,
  roles: ConnectorRoles | undefined,
): Promise<RoleCredentials> {
  const { organization_id: externalId, role_arn: arn, region, access_key_id } = row;
  if (arn === null) return { accessKeyId: access_key_id ?? '', secretAccessKey: openConnectorSecret(db, row) ?? '' };
  if (roles === undefined)
    throw new RoleError('This service assumes no roles any more. Its operator can set AWS_PRINCIPAL_ARN.');
  return roles.credentialsOf({ arn, externalId, region });
}
