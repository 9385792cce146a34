/** Deletes what is left of a removed set after its screenshots, creatives and deliveries. */
import { sql } from 'kysely';
import type { ExportFormat } from '../../domain/exports.ts';
import type { Queryable } from '../database/database.ts';

export interface ExportFiles {
  readonly id: string;
  readonly format: ExportFormat;
  /** Each attempt may have left a file. */
  readonly attempt: number;
}

export async function readExportFiles(db: Queryable, setId: string): Promise<ExportFiles[]> {
  return db.selectFrom('exports').select(['id', 'format', 'attempt']).where('set_id', '=', setId).execute();
}

/** Leaves the row of the set without content. */
export async function emptySet(tx: Queryable, setId: string): Promise<void> {
  await sql`insert into tombstones (id, organization_id)
    select id, organization_id from share_links where set_id = ${setId} on conflict do nothing`.execute(tx);
  await tx.deleteFrom('share_links').where('set_id', '=', setId).execute();
  await tx.deleteFrom('reviews').where('set_id', '=', setId).execute();
  await tx.deleteFrom('subscribers').where('set_id', '=', setId).execute();
  await sql`delete from set_search where set_id = ${setId}`.execute(tx);
  await tx
    .updateTable('screenshot_sets')
    .set({ instructions: null, metadata: '{}', review_notes: null, emptied_at: sql<Date>`now()` })
    .where('id', '=', setId)
    .execute();
}

/** Deletes indexes of the set's job. @returns how many. */
export async function deleteIndexes(tx: Queryable, setId: string, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from job_indexes where (job_id, index) in (
      select x.job_id, x.index from screenshot_jobs j join job_indexes x on x.job_id = j.id
      where j.set_id = ${setId} limit ${most})`.execute(tx);
  return Number(numAffectedRows);
}

/** Deletes the row of the set. Retakes of it stay. */
export async function deleteSet(tx: Queryable, setId: string): Promise<void> {
  await sql`delete from declared_uploads where job_id in (select id from screenshot_jobs where set_id = ${setId})`.execute(
    tx,
  );
  await tx.deleteFrom('screenshot_jobs').where('set_id', '=', setId).execute();
  await tx.deleteFrom('exports').where('set_id', '=', setId).execute();
  await tx.updateTable('screenshot_sets').set({ retake_of: null }).where('retake_of', '=', setId).execute();
  await tx.updateTable('screenshot_sets').set({ original_id: null }).where('original_id', '=', setId).execute();
  await tx.deleteFrom('screenshot_sets').where('id', '=', setId).execute();
}
