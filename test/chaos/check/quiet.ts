/** Waits until the service has nothing left to do. */
import { sleep } from '../../../src/lib/sleep.ts';
import type { ChaosDatabase } from '../service/database.ts';
import type { Installation } from '../service/installation.ts';

const OPEN_WORK = `select
  (select count(*)::int from screenshot_sets where status in ('draft', 'capturing') and removed_at is null) as sets,
  (select count(*)::int from screenshot_sets where removed_at is not null and emptied_at is null) as removals,
  (select count(*)::int from ads where status = 'pending' and source = 'create_ad') as ads,
  (select count(*)::int from screenshot_jobs where settled_at is null) as jobs,
  (select count(*)::int from deliveries where status = 'pending') as deliveries,
  (select count(*)::int from exports where status in ('pending', 'building')) as exports,
  (select count(*)::int from uploads where sha256 is null) as uploads,
  (select count(*)::int from pgboss.job where state in ('created', 'retry', 'active') and start_after < now() + interval '1 hour')
    as queue_entries`;

export type OpenWork = Readonly<Record<string, number>>;

const LOOK_MS = 1_000;

/** A retry that waits for minutes or hours is due now, so that a run need not wait for it. */
const HURRY = [
  `update deliveries set next_attempt_at = now()
   where status = 'pending' and next_attempt_at > now() + interval '25 seconds'`,
  // An upload that broke off is removed after an hour.
  `update uploads set expires_at = now() where sha256 is null and expires_at > now()`,
];

async function readOpenWork(database: ChaosDatabase): Promise<OpenWork> {
  const [row] = await database.rows<Record<string, number>>(OPEN_WORK);
  return row ?? {};
}

/** @returns the seconds until nothing was left; undefined with what is left, if that did not happen in time. */
export async function waitUntilQuiet(
  { database }: Installation,
  minutes: number,
): Promise<{ readonly seconds?: number; readonly left: OpenWork }> {
  const started = performance.now();
  for (;;) {
    for (const statement of HURRY) await database.rows(statement);
    const left = await readOpenWork(database);
    const seconds = (performance.now() - started) / 1_000;
    if (Object.values(left).every((count) => count === 0)) return { seconds, left };
    if (seconds > minutes * 60) return { left };
    await sleep(LOOK_MS);
  }
}
