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
import { guardedAgents } from '../../egress/agent.ts';
import type { Guard } from '../../egress/guard.ts';
import { setBounded } from '../../lib/lru.ts';
import { explainSts, RoleError } from './roleErrors.ts';

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
        ...guardedAgents(guard, { keepAlive: false }),
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
