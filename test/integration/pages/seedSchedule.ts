import { sql } from 'kysely';
import { runSchedule } from '../../../src/core/schedules/runs.ts';
import { createSchedule } from '../../../src/core/schedules/schedules.ts';
import { SERVICE } from '../../../src/domain/auditLog.ts';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { WEEKDAYS } from '../../../src/domain/schedules.ts';
import { TEST_LOG } from '../../support/testLog.ts';
import { type PagesServer, seedPicture } from './pagesServer.ts';

/** Stores a schedule that repeats a set, with weekly runs that made pictures, and a refused one. @returns its id. */
export async function seedSchedule(
  { store: { db }, organizationId }: PagesServer,
  {
    setId,
    name = 'Each weekday',
    runs = 3,
  }: { readonly setId: string; readonly name?: string; readonly runs?: number },
): Promise<string> {
  const queue = { enqueue: () => Promise.resolve() };
  const context = { queue, limits: DEFAULT_LIMITS };
  const rule = { days: WEEKDAYS, start: '08:00', end: '10:00' };
  const given = { name, rule, time_zone: 'Europe/Berlin', missed: 'once' } as const;
  const made = { organizationId, given, source: { screenshot_set: setId }, actor: SERVICE };
  const { id } = await db.transaction().execute((tx) => createSchedule(tx, made, context));
  const runAgo = async (weeks: number) => {
    const { rows } = await sql<{ due_at: Date }>`update schedules set starts_at = now() - interval '400 days',
      due_at = date_trunc('minute', now()) - make_interval(weeks => ${weeks}) where id = ${id} returning due_at`.execute(
      db,
    );
    const due_at = rows[0]?.due_at.toISOString() ?? '';
    await runSchedule({ schedule_id: id, due_at }, { ...context, db, log: TEST_LOG, countRun: () => undefined });
  };
  for (let weeks = runs + 1; weeks > 1; weeks -= 1) {
    await runAgo(weeks);
    const waiting = db.selectFrom('screenshots').select(['id', 'device']).where('status', '=', 'pending');
    for (const shot of await waiting.execute()) {
      const image_token = await seedPicture(db, organizationId, shot.device === 'desktop' ? '1440x900' : '1179x2556');
      const taken = { status: 'uploaded', image_token, captured_at: new Date() } as const;
      await db.updateTable('screenshots').set(taken).where('id', '=', shot.id).execute();
    }
    await sql`update screenshot_sets set status = 'approved' where status = 'draft' and schedule_id = ${id}`.execute(
      db,
    );
  }
  await sql`update organizations set disabled_at = now() where id = ${organizationId}`.execute(db);
  await runAgo(1);
  await sql`update organizations set disabled_at = null where id = ${organizationId}`.execute(db);
  return id;
}
