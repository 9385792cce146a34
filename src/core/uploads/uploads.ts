/**
 * Stores the file of a client: first a row that expires soon, then the bytes, then the facts about them. So whatever a process
 * leaves when it ends in between has a row, by which another process removes it.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { ObjectRef } from '../../db/rows.ts';
import { conflict } from '../../domain/failure.ts';
import { UPLOAD_DAYS } from '../../domain/retention.ts';
import { type UploadFormat, type UploadLimits, uploadKey } from '../../domain/uploads.ts';
import { noteRemoved } from '../journal/tombstones.ts';
import {
  beginUpload,
  completeUpload,
  countUnusedUploads,
  deleteIncompleteUpload,
  findUpload,
  renewSameUpload,
  type UploadRow,
} from './uploadQueries.ts';

export interface UploadContext {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
  readonly uploadLimits: UploadLimits;
}

export interface NewUpload {
  readonly organizationId: string;
  readonly name: string;
  readonly format: UploadFormat;
  readonly contentType: string;
  /** All bytes. If it throws, nothing is stored. */
  readonly chunks: AsyncIterable<Buffer>;
}

export interface StoredUpload {
  readonly row: UploadRow;
  /** False if the organization already has these bytes under this name. */
  readonly created: boolean;
}

/** Artifacts have no type of their own, because nothing serves them to browsers. */
const STORED_TYPE = 'application/octet-stream';

/** @throws Failure (409) if the organization has too many unused uploads. */
export async function requireRoomForUpload(
  { db, uploadLimits }: { readonly db: Queryable } & Pick<UploadContext, 'uploadLimits'>,
  organizationId: string,
): Promise<void> {
  const { count, bytes } = await countUnusedUploads(db, organizationId);
  const { unused, unusedBytes } = uploadLimits;
  const advice = `Use some in an ad, delete some, or wait: each is removed ${UPLOAD_DAYS} days after it was stored.`;
  if (count >= unused)
    throw conflict('uploads', `The organization has ${figure(count)} uploads that no ad uses. ${advice}`);
  if (bytes >= unusedBytes)
    throw conflict('uploads', `The uploads that no ad uses have ${figure(bytes)} bytes in total. ${advice}`);
}

const figure = (value: number) => value.toLocaleString('en');

/** @throws the errors of `chunks` and of the stores, after an incomplete upload is removed. */
export async function storeUpload(context: UploadContext, upload: NewUpload): Promise<StoredUpload> {
  const { db, artifacts, uploadLimits } = context;
  const { organizationId, name, format, contentType } = upload;
  const id = randomUUID();
  await db.transaction().execute(async (tx) => {
    await lockOrganizationById(tx, organizationId);
    await requireRoomForUpload({ db: tx, uploadLimits }, organizationId);
    await beginUpload(tx, { id, organizationId, name });
  });
  try {
    const measured = measure(upload.chunks);
    await artifacts.putStream(uploadKey(id), measured.chunks, STORED_TYPE);
    const { bytes, sha256 } = measured.result();
    const same = await renewSameUpload(db, { organizationId, name, sha256 });
    if (same === undefined) {
      return { row: await completeUpload(db, id, { format, contentType, bytes, sha256 }), created: true };
    }
    await deleteIncompleteUpload(db, id);
    return { row: same, created: false };
  } catch (error) {
    await deleteIncompleteUpload(db, id);
    throw error;
  }
}

function measure(source: AsyncIterable<Buffer>) {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  return { chunks: chunks(), result: () => ({ bytes, sha256: hash.digest('hex') }) };
}

/** Deletes an upload that no ad uses. @returns false if there is no such upload. @throws Failure (409) if an ad or a picture uses it. */
export function deleteUpload(db: Database, { id, organizationId }: ObjectRef): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const row = await findUpload(tx, { id, organizationId }, { lock: true });
    if (row === undefined) return false;
    if (row.expires_at === null)
      throw conflict('id', 'is the id of an upload that an ad uses or a picture shows, so it stays.');
    // A trigger notes its file.
    await tx.deleteFrom('uploads').where('id', '=', id).execute();
    await noteRemoved(tx, { id, organizationId });
    return true;
  });
}
