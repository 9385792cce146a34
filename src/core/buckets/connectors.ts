/** Changes to the connectors of an organization. */
import type { ConnectorCheckBody, S3ConnectorBody } from '../../contract/connectors.ts';
import type { Database, Queryable } from '../../db/database.ts';
import type { Enqueuer } from '../../db/queue.ts';
import {
  type Actor,
  type AuditedFields,
  addressWithoutSecrets,
  changesBetween,
  OPERATOR,
} from '../../domain/auditLog.ts';
import { DEFAULT_CONNECTOR } from '../../domain/connectors.ts';
import { invalid, notFound } from '../../domain/failure.ts';
import { addressFault } from '../../egress/addressFault.ts';
import type { Guard } from '../../egress/guard.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { lockOrganization } from '../organizations/organizations.ts';
import {
  type ConnectorIdentity,
  type ConnectorKey,
  findS3Connector,
  listS3Connectors,
  type NewS3Connector,
  openConnectorSecret,
  type S3Connector,
  setS3Connector,
  startConnectorCheck,
} from './connectorQueries.ts';

interface Owner {
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
}

interface SaveOptions {
  readonly body: S3ConnectorBody;
  readonly guard: Pick<Guard, 'resolve'>;
  /** ARN of the service's own AWS identity. Without it, connectors cannot name a role. */
  readonly awsPrincipal?: string | undefined;
  readonly queue: Enqueuer;
  readonly actor: Actor;
}

/** An organization seldom needs more. The bound keeps lists and pages small. */
const MAX_CONNECTORS = 20;

/**
 * Sets or replaces the connector, and enqueues its check if a bucket for it is known. A body without a secret keeps the
 * stored one of the same access key.
 * @throws Failure (422) for an endpoint that the service would not connect to, for a missing secret, for a role if the
 *   service has no AWS identity, and for too many connectors.
 */
export async function saveConnector(
  db: Database,
  owner: Owner,
  { body, guard, awsPrincipal, queue, actor }: SaveOptions,
): Promise<S3Connector> {
  const endpoint = body.endpoint?.trim() || undefined;
  const fault = endpoint && (await addressFault(guard, endpoint));
  if (fault) throw invalid({ endpoint: [fault] });
  if (body.role_arn && awsPrincipal === undefined)
    throw invalid({
      role_arn: ['cannot be used: this service has no AWS identity. Its operator can set AWS_PRINCIPAL_ARN.'],
    });
  const { organizationId, slug, name } = owner;
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, slug);
    const all = await listS3Connectors(tx, organizationId);
    const stored = all.find((row) => row.name === name);
    if (stored === undefined && all.length >= MAX_CONNECTORS)
      throw invalid({ name: [`is one too many: an organization has at most ${MAX_CONNECTORS} connectors.`] });
    await setS3Connector(tx, slug, {
      ...identityOf(tx, body, stored),
      ...{ name, endpoint, region: body.region, forcePathStyle: body.force_path_style },
      ...{ encryption: body.encryption, kmsKeyId: body.kms_key_id, storageClass: body.storage_class },
    });
    const row = requireConnector(await findS3Connector(tx, { organizationId, name }));
    await recordConnector(tx, actor, { stored, row });
    const target = body.check ?? lastTarget(stored);
    return target === undefined ? row : enqueueCheck(tx, { organizationId, name }, target, queue);
  });
}

function identityOf(tx: Queryable, body: S3ConnectorBody, stored: S3Connector | undefined): ConnectorIdentity {
  if (body.role_arn) return { roleArn: body.role_arn };
  const accessKeyId = body.access_key_id?.trim() ?? '';
  const isKept = stored?.access_key_id === accessKeyId && stored.secret_access_key !== null;
  const secretAccessKey = body.secret_access_key?.trim() || (isKept && secretOf(tx, stored));
  if (!secretAccessKey)
    throw invalid({
      secret_access_key: [
        isKept
          ? 'is required: the stored one cannot be opened with the keys of this service.'
          : 'is required: there is no stored secret for this access key.',
      ],
    });
  return { accessKeyId, secretAccessKey };
}

/** @returns undefined if it cannot be opened, so that another one can replace it. */
function secretOf(tx: Queryable, row: S3Connector): string | null | undefined {
  try {
    return openConnectorSecret(tx, row);
  } catch {
    return undefined;
  }
}

function lastTarget(stored: S3Connector | undefined): ConnectorCheckBody | undefined {
  if (stored === undefined || stored.check_bucket === null) return undefined;
  return { bucket: stored.check_bucket, region: stored.check_region, key_prefix: stored.check_key_prefix };
}

/** Adds an entry for a connector that was set. @param stored as it was before. */
async function recordConnector(
  tx: Queryable,
  actor: Actor,
  { stored, row }: { stored: S3Connector | undefined; row: S3Connector },
): Promise<void> {
  const before = stored && auditedFields(stored);
  const changes = changesBetween(before ?? {}, auditedFields(row));
  const isReplaced = stored !== undefined && secretOf(tx, stored) !== secretOf(tx, row);
  if (isReplaced) changes.push({ field: 'secret_access_key', from: 'set', to: 'replaced' });
  const action = before === undefined ? 'connector.created' : 'connector.updated';
  await recordAction(tx, actor, { action, of: { organizationId: row.organization_id, id: row.name }, changes });
}

function auditedFields(row: S3Connector): AuditedFields {
  const { region, access_key_id, role_arn, force_path_style, encryption, kms_key_id, storage_class } = row;
  const endpoint = row.endpoint && addressWithoutSecrets(row.endpoint);
  return { endpoint, region, access_key_id, role_arn, force_path_style, encryption, kms_key_id, storage_class };
}

const objectOf = ({ organizationId, name }: ConnectorKey) => ({ organizationId, id: name });

/** @returns false if there was none. */
export async function removeConnector(tx: Queryable, key: ConnectorKey, actor: Actor): Promise<boolean> {
  const { organizationId, name } = key;
  const owned = tx.deleteFrom('s3_connectors').where('organization_id', '=', organizationId);
  const row = await owned.where('name', '=', name).returningAll().executeTakeFirst();
  if (row === undefined) return false;
  await recordAction(tx, actor, { action: 'connector.deleted', of: objectOf(key), from: auditedFields(row) });
  return true;
}

/** Enqueues a check, which a controller makes. @throws Failure (404) if there is no connector. */
export async function requestConnectorCheck(
  transaction: Queryable,
  key: ConnectorKey,
  target: ConnectorCheckBody,
  { queue, actor }: { readonly queue: Enqueuer; readonly actor: Actor },
): Promise<S3Connector> {
  const row = await enqueueCheck(transaction, key, target, queue);
  const { check_bucket: bucket, check_region: region, check_key_prefix: key_prefix } = row;
  const to = { bucket, region, key_prefix };
  await recordAction(transaction, actor, { action: 'connector.checked', of: objectOf(key), to });
  return row;
}

async function enqueueCheck(
  transaction: Queryable,
  key: ConnectorKey,
  target: ConnectorCheckBody,
  queue: Enqueuer,
): Promise<S3Connector> {
  const row = requireConnector(await startConnectorCheck(transaction, key, target));
  await queue.enqueue(transaction, 'check_connector', { organization_id: key.organizationId, name: key.name });
  return row;
}

/** @throws Failure (404) */
export function requireConnector(row: S3Connector | undefined): S3Connector {
  if (row === undefined) throw notFound('name', 'This organization has no such connector.');
  return row;
}

/** Sets or replaces a connector without a check. */
export async function setConnector(db: Database, slug: string, given: NewS3Connector): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { id: organizationId } = await lockOrganization(tx, slug);
    const key = { organizationId, name: given.name ?? DEFAULT_CONNECTOR };
    const stored = await findS3Connector(tx, key);
    await setS3Connector(tx, slug, given);
    await recordConnector(tx, OPERATOR, { stored, row: requireConnector(await findS3Connector(tx, key)) });
  });
}
