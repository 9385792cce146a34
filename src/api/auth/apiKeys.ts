/** Checks the API key of a request to the public API. */
import type { Request } from 'express';
import type { KeyHolder } from '../../core/organizations/apiKeys.ts';
import { billingPage } from '../../domain/addresses.ts';
import { type ErrorCode, Failure, notFound } from '../../domain/failure.ts';
import { keyOfHeader, type ParsedKey, type Scope } from '../../domain/keys.ts';

/** @returns the key that the request sends. @throws Failure (401) if it sends none, two, or a malformed one. */
export function readApiKey(request: Request): ParsedKey {
  const sent = request.headersDistinct['authorization'] ?? [];
  if (sent.length > 1) throw unauthorized('must be sent once, not several times.');
  const [header = ''] = sent;
  if (header.trim() === '') throw unauthorized('is required: send the API key, alone or after "Bearer ".');
  const key = keyOfHeader(header);
  if (key === undefined) throw unauthorized('must be an API key, alone or after "Bearer ": ts_live_….');
  return key;
}

/** @returns the same. @throws Failure (401) for an unknown, revoked or expired key. */
export function requireOwner(caller: KeyHolder | undefined): KeyHolder {
  if (caller === undefined) throw unauthorized('is not a valid API key: it is unknown, revoked or expired.');
  return caller;
}

function unauthorized(text: string): Failure {
  return new Failure({
    status: 401,
    code: 'unauthorized',
    errors: { authorization: [text] },
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/**
 * @throws Failure: 404 if the path names another organization, whether or not it exists; 403 if the key lacks the scope or the
 *   organization is disabled.
 */
export function authorize(caller: KeyHolder, given: { slug: string; scope: Scope; publicUrl: string }): void {
  const { organization, scopes } = caller;
  if (organization.slug !== given.slug) {
    throw notFound('organization_slug', 'There is no such organization, or this key is not one of its keys.');
  }
  if (!scopes.includes(given.scope)) {
    throw forbidden(
      'missing_scope',
      'authorization',
      `This key lacks the scope "${given.scope}": use one that has it.`,
    );
  }
  if (organization.disabled) {
    const page = billingPage({ publicUrl: given.publicUrl, slug: organization.slug });
    throw forbidden(
      'organization_disabled',
      'organization',
      `Your organization is disabled. Upgrade to keep using the API: ${page}`,
    );
  }
}

function forbidden(code: ErrorCode, field: string, text: string): Failure {
  return new Failure({ status: 403, code, errors: { [field]: [text] } });
}
