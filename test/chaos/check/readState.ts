/** Reads the state of the service: rows, files and processes. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { ChaosDatabase } from '../service/database.ts';
import type { AdState, EventState, FailedPicture, ServiceState, SetState } from './state.ts';

const SETS = `select s.id, c.name as key, s.status,
    (select count(*)::int from screenshots where set_id = s.id) as screenshots,
    (select count(*)::int from screenshots where set_id = s.id and status = 'pending') as pending
  from screenshot_sets s join campaigns c on c.id = s.campaign_id`;

const ADS = `select a.id, c.name as key, a.status, a.reason from ads a join campaigns c on c.id = a.campaign_id
  where a.source = 'create_ad'`;

const UTC = `at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

const FAILED = `select s.id, s.status, coalesce(s.reason, '') as reason, coalesce(i.attempt, 0) as attempts,
      to_char(o.created_at ${UTC}) as requested
    from screenshots s join screenshot_sets o on o.id = s.set_id
    left join screenshot_jobs j on j.set_id = s.set_id
    left join job_indexes i on i.job_id = j.id and i.index = s.job_index
    where s.status not in ('uploaded', 'canceled', 'pending')
  union all
  select a.id, a.status, coalesce(a.reason, ''), coalesce((
      select max(i.attempt) from job_creatives c join job_indexes i on i.job_id = c.job_id where c.ad_id = a.id), 0),
      to_char(a.created_at ${UTC})
    from ads a where a.status not in ('uploaded', 'pending')
      and not exists (select from screenshots s where s.ad_id = a.id and s.status = 'canceled')`;

const EVENTS = `select 'evt_' || e.id as id, e.topic, e.body::jsonb #>> '{data,object,id}' as object,
    encode(sha256(convert_to(e.body, 'UTF8')), 'hex') as digest,
    (select count(*)::int from deliveries d where d.event_id = e.id and d.channel = 'webhook') as webhooks
  from events e`;

const LEFTOVER_ROWS = `
  select 'screenshot_jobs ' || id || ' is not settled' as row from screenshot_jobs where settled_at is null
  union all
  select 'job_creatives ' || c.job_id || ' ' || c.ad_id || ' has a claim' from job_creatives c
    join screenshot_jobs j on j.id = c.job_id
    where j.settled_at is not null and (c.claim_expires_at is not null or c.status = 'pending')
  union all
  select 'removed_files ' || key from removed_files
  union all
  select 'uploads ' || id || ' is incomplete' from uploads where sha256 is null
  union all
  select 'idempotency_keys ' || key || ' has no answer' from idempotency_keys where response is null and status_code is null
  union all
  select 'pgboss.job ' || name || ' ' || id || ' is ' || state from pgboss.job
    where state in ('created', 'retry', 'active') and start_after < now() + interval '1 hour'
  union all
  select 'pgboss.job ' || name || ' ' || id || ' failed: ' || coalesce(output::text, '') from pgboss.job where state = 'failed'`;

/** Keys of all files that a row names. */
const KEYS = `select artifact_key as key from images
  union all select artifact_key from exports where status = 'ready' and artifact_key is not null
  union all select 'uploads/' || id from uploads where sha256 is not null`;

/** The part of the state that is outside of the database. */
export interface FoundState extends Pick<ServiceState, 'processes' | 'temporary'> {
  /** The keys of the files in the artifact store. */
  readonly files: readonly string[];
}

/** Call it when all processes of the service have ended and PostgreSQL still runs. */
export async function readState(database: ChaosDatabase, found: FoundState): Promise<ServiceState> {
  const ids = async (sql: string) => (await database.rows<{ id: string }>(sql)).map(({ id }) => id);
  const keys = (await database.rows<{ key: string }>(KEYS)).map(({ key }) => key);
  const files = new Set(found.files);
  const named = new Set(keys);
  return {
    sets: await database.rows<SetState & object>(SETS),
    ads: await database.rows<AdState & object>(ADS),
    failed: await database.rows<FailedPicture & object>(FAILED),
    uploads: await ids('select id from uploads'),
    reviewed: await database.rows(
      'select screenshot_id as screenshot, comment from reviews where screenshot_id is not null',
    ),
    exports: await database.rows('select id, status from exports'),
    events: await database.rows<EventState & object>(EVENTS),
    undelivered: await database.rows("select id, status, reason from deliveries where status <> 'delivered'"),
    leftoverRows: await leftoverRows(database),
    filesWithoutRow: [...files].filter((file) => !named.has(file.replace(/^\.types\//, ''))),
    rowsWithoutFile: keys.filter((key) => !files.has(key)),
    processes: found.processes,
    temporary: found.temporary,
  };
}

async function leftoverRows(database: ChaosDatabase): Promise<string[]> {
  return (await database.rows<{ row: string }>(LEFTOVER_ROWS)).map(({ row }) => row);
}

/** @returns paths below the folder, as keys. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}
