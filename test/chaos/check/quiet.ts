/** Waits until the service has nothing left to do. */
import { sleep } from '../../../src/lib/sleep.ts';
import { sumOf } from '../report/figures.ts';
import type { ChaosTarget } from '../target.ts';

const OPEN_WORK = `select
  (select count(*)::int from screenshot_sets where status in ('draft', 'capturing')) as sets,
  (select count(*)::int from ads where status = 'pending' and source = 'create_ad') as ads,
  (select count(*)::int from screenshot_jobs where settled_at is null) as jobs,
  (select count(*)::int from deliveries where status = 'pending') as deliveries,
  (select count(*)::int from exports where status in ('pending', 'building')) as exports,
  (select count(*)::int from pgboss.job where state in ('created', 'retry', 'active') and start_after < now() + interval '1 hour')
    as queue_entries`;

export type OpenWork = Readonly<Record<string, number>>;

const LOOK_MS = 1_000;

/** A retry that waits for minutes or hours is due now, so that a run need not wait for it. */
const HURRY = `update deliveries set next_attempt_at = now()
  where status = 'pending' and next_attempt_at > now() + interval '25 seconds'`;

/** Files that the API removes some time after their upload broke off, or after a capture ended without a report. */
const REMOVABLE = `select (select count(*)::int from uploads where sha256 is null) as uploads,
  (select count(*)::int from removed_files) as files`;
/** Lets this time pass for them. */
const AN_HOUR_LATER = [
  'update uploads set expires_at = now() where sha256 is null',
  'update removed_files set due_at = now()',
];

/** @returns the seconds until nothing was left; without them, that did not happen in time. */
export async function waitUntilQuiet(
  { database, restartApis }: Pick<ChaosTarget, 'database' | 'restartApis'>,
  minutes: number,
): Promise<{ readonly seconds?: number; readonly left: OpenWork }> {
  const started = performance.now();
  const passed = () => (performance.now() - started) / 1_000;
  const untilNothing = async (query: string): Promise<OpenWork> => {
    for (;;) {
      const [left = {}] = await database.rows<Record<string, number>>(query);
      if (Object.values(left).every((count) => count === 0) || passed() > minutes * 60) return left;
      await database.rows(HURRY);
      await sleep(LOOK_MS);
    }
  };
  const left = await untilNothing(OPEN_WORK);
  const seconds = passed();
  if (sumOf(left) > 0) return { left };
  for (const statement of AN_HOUR_LATER) await database.rows(statement);
  // An API looks for such files when it starts.
  await restartApis();
  const files = await untilNothing(REMOVABLE);
  return sumOf(files) > 0 ? { left: files } : { seconds, left: files };
}
