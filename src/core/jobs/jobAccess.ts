/** Which captures may work on a job. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

export interface JobAccess {
  /** Name of the job's ScreenshotJob, which never changes. */
  readonly name: string;
  /** The capture of another job that works on it, if one does. */
  readonly host?: { readonly jobId: string; readonly pod: string };
}

/** @returns whose captures may work on the job; undefined for an unknown job. */
export async function findJobAccess(db: Queryable, jobId: string): Promise<JobAccess | undefined> {
  const { rows } = await sql<{ name: string; host_job_id: string | null; host_pod: string | null }>`
    select j.name, j.host_job_id, i.pod as host_pod from screenshot_jobs j
    left join screenshot_jobs h on h.id = j.host_job_id and h.organization_id = j.organization_id
    left join job_indexes i on i.job_id = h.id and i.index = j.host_index and i.pod = j.host_pod
    where j.id = ${jobId}`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  const { name, host_job_id: host, host_pod: pod } = row;
  return { name, ...(host !== null && pod !== null && { host: { jobId: host, pod } }) };
}

/** @returns whether the job, or one that its captures work on, has a screenshot at the location. */
export async function hasLocation(db: Queryable, jobId: string, location: string): Promise<boolean> {
  const { rows } = await sql`
    select from screenshot_jobs j join screenshots s on s.set_id = j.set_id
    where (j.id = ${jobId} or (j.host_job_id = ${jobId} and j.settled_at is null))
      and s.options->>'location' = ${location} limit 1`.execute(db);
  return rows.length > 0;
}
