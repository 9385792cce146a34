/** Checks a connector as a delivery would use it: writes a small object into a bucket and deletes it. */
import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Store } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import type { Queue } from '../../db/queue.ts';
import type { Guard } from '../../egress/guard.ts';
import type { Log } from '../../lib/log.ts';
import { type ConnectorKey, findS3Connector, finishConnectorCheck, type S3Connector } from './connectorQueries.ts';
import { accountOf, type ConnectorRoles, RoleError } from './connectorRoles.ts';
import { checkKey } from './objectKeys.ts';
import { type BucketTarget, identityOf, openClient, uploadToBucket } from './s3Client.ts';
import { explainS3 } from './s3Errors.ts';

const CONCURRENCY = 2;
const TIMEOUT_MS = 20_000;
const CONTENT = 'Tearsheet wrote this object to check its access and could not delete it. You can delete it.\n';

export interface ConnectorCheckOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly guard: Guard;
  /** Without it, connectors that name a role fail. */
  readonly roles?: ConnectorRoles | undefined;
  readonly log: Log;
}

export interface CheckResult {
  readonly status: 'passed' | 'failed';
  /** For the customer. */
  readonly message: string;
}

/** Starts the worker of the queue `check_connector`; it stops with the queue. */
export async function startConnectorChecks(options: ConnectorCheckOptions): Promise<void> {
  await options.queue.work('check_connector', { concurrency: CONCURRENCY }, async (payloads, signal) => {
    for (const { organization_id: organizationId, name } of payloads)
      await checkStored({ organizationId, name }, options, signal);
  });
}

async function checkStored(key: ConnectorKey, options: ConnectorCheckOptions, signal: AbortSignal): Promise<void> {
  const row = await findS3Connector(options.store.db, key);
  if (row?.check_status !== 'pending') return;
  const result = await checkBucket(row, options, signal);
  if (signal.aborted && result.status === 'failed') throw new Error('The check of the connector was aborted.');
  await options.store.db.transaction().execute(async (tx) => {
    await finishConnectorCheck(tx, row, result);
    await notify(tx, { connector: key.organizationId });
  });
  options.log.info(
    { organization_id: key.organizationId, connector: key.name, bucket: row.check_bucket, ...result },
    'connector checked',
  );
}

async function checkBucket(
  row: S3Connector,
  { store, guard, roles }: Pick<ConnectorCheckOptions, 'store' | 'guard' | 'roles'>,
  signal: AbortSignal,
): Promise<CheckResult> {
  const bucket = row.check_bucket ?? '';
  const key = checkKey({ keyPrefix: row.check_key_prefix ?? '', id: randomUUID() });
  const connector = await accountOf(store.db, row, roles).catch(roleFault);
  if (typeof connector === 'string') return { status: 'failed', message: connector };
  const target = { connector, bucket, region: row.check_region ?? undefined, guard };
  const written = await uploadToBucket({
    ...target,
    key,
    contentType: 'text/plain; charset=utf-8',
    bytes: Buffer.from(CONTENT),
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (written.outcome !== 'delivered') return { status: 'failed', message: written.error ?? 'The upload failed.' };
  const fault = await deleteObject(target, key, signal);
  if (fault === undefined) return { status: 'passed', message: `Wrote an object into ${bucket} and deleted it.` };
  const left = `Wrote an object into ${bucket}, which is all that deliveries need. It stays there as ${key}: `;
  return { status: 'passed', message: left + fault };
}

/** @returns why the role could not be assumed. @throws other errors. */
function roleFault(error: unknown): string {
  if (error instanceof RoleError) return error.message;
  throw error;
}

/** @returns why the object was not deleted; undefined if it was. */
async function deleteObject(target: BucketTarget, key: string, signal: AbortSignal): Promise<string | undefined> {
  const { bucket } = target;
  let client: S3Client | undefined;
  try {
    client = openClient(target, TIMEOUT_MS);
    const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }), { abortSignal });
    return undefined;
  } catch (error) {
    return explainS3(error, { bucket, action: 's3:DeleteObject', identity: identityOf(target.connector) }).error;
  } finally {
    client?.destroy();
  }
}
