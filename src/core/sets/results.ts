/** Queries that resolve screenshots or find unresolved ones. */
import { sql } from 'kysely';
import { type OptionsJson, optionsFromJson } from '../../contract/storedOptions.ts';
import type { Queryable } from '../../db/database.ts';
import type { StoredAnimation } from '../../domain/animations.ts';
import type { DeviceName } from '../../domain/devices.ts';
import type { ScreenshotStatus } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';

export interface MissingScreenshot {
  readonly id: string;
  readonly ad_id: string;
  readonly site_url: string;
  readonly site_key: string;
  readonly device: DeviceName;
  readonly marker_ms: number | null;
  readonly options: OptionsJson | null;
  readonly page_access_id: string | null;
}

/** The unresolved screenshots of an index, in the order of the request, and those that share a picture with one. */
export async function missingScreenshots(
  db: Queryable,
  { setId, index }: { setId: string; index: number },
): Promise<MissingScreenshot[]> {
  return db
    .selectFrom('screenshots')
    .select(['id', 'ad_id', 'site_url', 'site_key', 'device', 'marker_ms', 'options', 'page_access_id'])
    .where('set_id', '=', setId)
    .where('job_index', '=', index)
    .where(
      sql<boolean>`(status = 'pending' or options->>'group' is not null and exists (
        select from screenshots o where o.set_id = screenshots.set_id and o.job_index = screenshots.job_index
          and o.status = 'pending' and o.options->>'group' = screenshots.options->>'group'
          and o.site_key = screenshots.site_key and o.device = screenshots.device))`,
    )
    .orderBy('seq')
    .execute();
}

/** Locks those of the given screenshots that belong to this index, in the order of their ids. */
export async function lockScreenshotsOfIndex(
  transaction: Queryable,
  { setId, index, ids }: { setId: string; index: number; ids: readonly string[] },
): Promise<{ id: string; status: ScreenshotStatus }[]> {
  return transaction
    .selectFrom('screenshots')
    .select(['id', 'status'])
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))))
    .where('set_id', '=', setId)
    .where('job_index', '=', index)
    .orderBy('id')
    .forUpdate()
    .execute();
}

export interface ScreenshotResolution {
  readonly id: string;
  readonly status: ScreenshotStatus;
  readonly reason: string | null;
  readonly image_token: string | null;
  readonly page_token: string | null;
  readonly animation: StoredAnimation | null;
  /** ISO 8601. */
  readonly captured_at: string | null;
  readonly record: Readonly<Record<string, unknown>> | null;
  readonly warnings: readonly Warning[];
}

export async function resolveScreenshots(
  transaction: Queryable,
  resolutions: readonly ScreenshotResolution[],
): Promise<void> {
  await sql`
    update screenshots s
    set status = r.status, reason = r.reason, image_token = r.image_token, page_token = r.page_token,
      captured_at = r.captured_at, record = r.record, warnings = r.warnings, animation = r.animation
    from jsonb_to_recordset(${JSON.stringify(resolutions)}::jsonb)
      as r(id uuid, status text, reason text, image_token text, page_token text, captured_at timestamptz, record jsonb,
        warnings jsonb, animation jsonb)
    where s.id = r.id`.execute(transaction);
}

/** Fails the pending screenshots that wait for this ad. @returns how many failed. */
export async function failScreenshotsOfAd(
  transaction: Queryable,
  { setId, adId, reason }: { setId: string; adId: string; reason: string },
): Promise<number> {
  // Locked in one order, so that two transactions never wait for each other.
  const pending = await transaction
    .selectFrom('screenshots')
    .select('id')
    .where('set_id', '=', setId)
    .where('ad_id', '=', adId)
    .where('status', '=', 'pending')
    .orderBy('id')
    .forUpdate()
    .execute();
  if (pending.length === 0) return 0;
  await transaction
    .updateTable('screenshots')
    .set({ status: 'ad_not_captured', reason })
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(pending.map(({ id }) => id)))))
    .execute();
  return pending.length;
}

/** Cancels the pending screenshots of a set. @returns the ads that they show, each once. */
export async function cancelScreenshots(
  transaction: Queryable,
  { setId, reason }: { setId: string; reason: string },
): Promise<string[]> {
  const canceled = await transaction
    .updateTable('screenshots')
    .set({ status: 'canceled', reason })
    .where('set_id', '=', setId)
    .where('status', '=', 'pending')
    .returning('ad_id')
    .execute();
  return [...new Set(canceled.map(({ ad_id }) => ad_id))];
}

export interface FinalStatus {
  readonly status: ScreenshotStatus;
  readonly reason: string;
}

/**
 * Resolves the pending screenshots of a job's set.
 * @param given by whether the index of the screenshot was ever started. @returns the statuses given.
 */
export async function closeScreenshots(
  transaction: Queryable,
  { jobId, setId }: { jobId: string; setId: string },
  { started, notStarted }: { started: FinalStatus; notStarted: FinalStatus },
): Promise<ScreenshotStatus[]> {
  const { rows } = await sql<{ status: ScreenshotStatus }>`
    update screenshots s set
      status = case when i.started_at is null then ${notStarted.status}::text else ${started.status}::text end,
      reason = case when i.started_at is null then ${notStarted.reason}::text else ${started.reason}::text end
    from screenshots o left join job_indexes i on i.job_id = ${jobId} and i.index = o.job_index
    where s.id = o.id and o.set_id = ${setId} and o.status = 'pending'
    returning s.status`.execute(transaction);
  return rows.map(({ status }) => status);
}

/** The screenshots of a set in the order of the request, as far as admission needs them. */
export async function readPlannedScreenshots(db: Queryable, setId: string) {
  const rows = await db
    .selectFrom('screenshots')
    .select(['id', 'ad_id as adId', 'site_key as siteKey', 'device', 'marker_ms as markerMs', 'options'])
    .select('page_access_id as accessId')
    .where('set_id', '=', setId)
    .orderBy('seq')
    .execute();
  return rows.map(({ options, ...row }) => {
    const { otherAds, location, group, givenPage, animation } = optionsFromJson(options);
    return { ...row, otherAds, location, group, givenPage, animation: group === null ? animation : null };
  });
}

/** @param indexes for each of these screenshots, the index that captures it. */
export async function assignIndexes(
  transaction: Queryable,
  ids: readonly string[],
  indexes: readonly number[],
): Promise<void> {
  await sql`
    update screenshots set job_index = planned.index
    from unnest(${ids}::uuid[], ${indexes}::integer[]) as planned(id, index)
    where screenshots.id = planned.id`.execute(transaction);
}
