/** Reads the state of the database for `tearsheet diagnose`: counts, ages and names of our own, never what clients or sites wrote. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

const AGE = (column: string) =>
  sql`round(coalesce(extract(epoch from now() - min(${sql.ref(column)})), 0))::integer as oldest_seconds`;

/** The rows of each section. */
const STATEMENTS: Readonly<Record<string, RawBuilder<unknown>>> = {
  database: sql`select current_setting('server_version') as server_version, pg_database_size(current_database())::float8 as bytes,
    (select count(*)::integer from pg_stat_activity where datname = current_database()) as connections,
    current_setting('max_connections')::integer as max_connections, id as installation, epoch::text as leader_epoch,
    coalesce(stopped_until > now(), false) as stopped
    from installation`,
  migrations: sql`select name, applied_at from schema_migrations order by name`,
  // Entries for later, such as runs of schedules, are not old.
  queues: sql`select name, state::text, start_after > now() as later, count(*)::integer as count, greatest(
      round(coalesce(extract(epoch from now() - min(start_after)), 0)), 0)::integer as oldest_seconds
    from pgboss.job where state <> 'completed' group by 1, 2, 3 order by 1, 2, 3`,
  schedules: sql`select case when paused_reason is not null then 'paused_by_service' when paused_at is not null then 'paused'
      when due_at is null then 'ended' when due_at < now() - interval '1 minute' then 'late' else 'active' end as state,
    count(*)::integer as count, min(due_at) as next from schedules group by 1 order by 1`,
  waiting_notices: sql`select kind, timing, count(*)::integer as count, ${AGE('created_at')} from notices group by 1, 2 order by 1, 2`,
  sets: sql`select status, priority, count(*)::integer as count, ${AGE('created_at')} from screenshot_sets
    where created_at > now() - interval '7 days' group by 1, 2 order by 1, 2`,
  screenshots: sql`select p.status, count(*)::integer as count from screenshots p join screenshot_sets t on t.id = p.set_id
    where t.created_at > now() - interval '1 day' group by 1 order by 1`,
  jobs: sql`select coalesce(outcome, 'open') as outcome, count(*)::integer as count, max(settled_at) as last
    from screenshot_jobs where settled_at is null or settled_at > now() - interval '1 day' group by 1 order by 1`,
  deliveries: sql`select channel, status, count(*)::integer as count, ${AGE('created_at')} from deliveries
    where created_at > now() - interval '1 day' or status = 'pending' group by 1, 2 order by 1, 2`,
  // The breakers: endpoints that the service disabled, or will disable.
  webhook_endpoints: sql`select case when disabled_reason is not null then 'disabled_by_service' when disabled_at is not null then 'disabled'
      when failing_since is not null then 'failing' else 'working' end as state,
    count(*)::integer as count, min(failing_since) as failing_since
    from webhook_endpoints where deleted_at is null group by 1 order by 1`,
  last_job_problems: sql`select id, outcome, settled_at as at, problem from screenshot_jobs
    where problem is not null order by settled_at desc nulls last limit 10`,
  last_queue_errors: sql`select id, name, state::text, retry_count, coalesce(completed_on, started_on) as at,
      left(output->>'message', 500) as problem
    from pgboss.job where state in ('retry', 'failed') order by created_on desc limit 10`,
  last_failed_deliveries: sql`select delivery_id as id, attempt, outcome, status_code, started_at as at from delivery_attempts
    where outcome <> 'delivered' and started_at > now() - interval '1 day' order by started_at desc limit 10`,
};

/** Sections by name. */
export const DATABASE_STATE: Readonly<Record<string, (db: Queryable) => Promise<unknown>>> = Object.fromEntries(
  Object.entries(STATEMENTS).map(([name, statement]) => [
    name,
    async (db: Queryable) => {
      const { rows } = await statement.execute(db);
      return name === 'database' ? rows[0] : rows;
    },
  ]),
);
