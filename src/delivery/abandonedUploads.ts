/**
 * Aborts uploads in parts of processes that were killed. Each upload has a queue entry for the next day. By then it has
 * usually ended, and the server says so.
 */
import type { Payloads } from '../queue/payloads.ts';
import { findS3Connector } from '../store/organizations/connectors.ts';
import { accountOf } from './connectorAccount.ts';
import { ABORT_MS, abortUpload } from './multipartUpload.ts';
import type { DeliveryOptions } from './options.ts';
import { identityOf, openClient } from './s3Client.ts';
import { explainS3 } from './s3Errors.ts';

const ABANDONED_AFTER_MS = 24 * 3_600_000;
const CONCURRENCY = 1;

/** Stores the queue entry that aborts an upload a day after its start. */
export async function expectUpload({ queue, store }: DeliveryOptions, upload: Payloads['abort_upload']): Promise<void> {
  const startAfter = new Date(Date.now() + ABANDONED_AFTER_MS);
  await queue.enqueue(store.db, 'abort_upload', upload, { startAfter });
}

/** Starts the worker of the queue `abort_upload`; it stops with the queue. */
export async function startUploadAborts(options: DeliveryOptions): Promise<void> {
  await options.queue.work('abort_upload', { concurrency: CONCURRENCY }, async (payloads) => {
    for (const payload of payloads) await abortAbandoned(payload, options);
  });
}

async function abortAbandoned(upload: Payloads['abort_upload'], options: DeliveryOptions): Promise<void> {
  const { organization_id: organizationId, name, bucket, key, upload_id, region } = upload;
  const row = await findS3Connector(options.store.db, { organizationId, name });
  const fields = { organization_id: organizationId, connector: name, bucket, key };
  if (row === undefined) {
    options.log.warn(fields, 'the connector was removed, so an abandoned upload may stay in the bucket');
    return;
  }
  const target = {
    connector: await accountOf(row, options.roles),
    bucket,
    region: region ?? undefined,
    guard: options.guard,
  };
  const client = openClient(target, ABORT_MS);
  try {
    await abortUpload(client, { Bucket: bucket, Key: key, UploadId: upload_id });
    options.log.info(fields, 'an upload in parts was aborted, or had ended before');
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchUpload') return;
    const reason = explainS3(error, {
      bucket,
      action: 's3:AbortMultipartUpload',
      identity: identityOf(target.connector),
    }).error;
    options.log.warn({ ...fields, reason }, 'an upload in parts could not be aborted');
    throw new Error(`The upload of ${key} could not be aborted: ${reason}`);
  } finally {
    client.destroy();
  }
}
