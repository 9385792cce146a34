/** A set whose pictures are taken again, in place of the capture program. */
import { sql } from 'kysely';
import { notify } from '../../../src/db/notifications.ts';
import { type PagesServer, type Seeded, seedPicture, seedSet } from './pagesServer.ts';

export const NEWS = 'https://news.example/front';

/** Two pictures, and a failure of each of two kinds. */
export const seedFailures = (server: PagesServer): Promise<Seeded> =>
  seedSet(server, {
    status: 'approved',
    shots: [
      { site: NEWS, device: 'desktop' },
      { site: NEWS, device: 'mobile' },
      { site: 'https://blog.example/', device: 'desktop', status: 'no_slots', reason: 'The page has no ad slot.' },
      { site: 'https://shop.example/', device: 'desktop', status: 'blocked', reason: 'The site answered 403.' },
    ],
  });

/** The screenshots of the newest set that takes pictures of this set again. */
export async function readRetake({ store: { db } }: PagesServer, { setId }: Pick<Seeded, 'setId'>) {
  const newest = db.selectFrom('screenshot_sets').select('id').orderBy('created_at', 'desc').limit(1);
  const set = await newest.where('retake_of', '=', setId).executeTakeFirst();
  const shots = await db
    .selectFrom('screenshots')
    .select(['id', 'retake_of', 'site_url', 'device', 'options'])
    .where('set_id', '=', set?.id ?? null)
    .orderBy('seq')
    .execute();
  return { id: set?.id, shots };
}

/** Takes a picture. */
export async function finishShot(
  { store: { db }, organizationId }: PagesServer,
  { setId, id = '', size = '1440x900' }: { setId: string; id: string | undefined; size?: string },
): Promise<void> {
  const token = await seedPicture(db, organizationId, size);
  await db.transaction().execute(async (tx) => {
    const taken = { status: 'uploaded', image_token: token, captured_at: new Date() } as const;
    await tx.updateTable('screenshots').set(taken).where('id', '=', id).execute();
    await notify(tx, { set: setId });
  });
}

/** Ends a set with a failure. */
export async function failShot({ store: { db } }: PagesServer, setId: string, id = ''): Promise<void> {
  await db.updateTable('screenshots').set({ status: 'blocked', reason: 'Again.' }).where('id', '=', id).execute();
  await settle({ store: { db } }, setId);
}

/** Ends the capture of a set. */
export async function settle(
  { store }: { store: Pick<PagesServer['store'], 'db'> },
  setId: string,
  status: 'approved' | 'in_review' = 'approved',
): Promise<void> {
  await store.db.transaction().execute(async (tx) => {
    await tx.updateTable('screenshot_sets').set({ status, settled_at: new Date() }).where('id', '=', setId).execute();
    await notify(tx, { set: setId });
  });
}

/** Gives a retake the record of the picture before, with the ad in the second slot. */
export async function useSecondSlot({ store: { db } }: PagesServer, id = ''): Promise<void> {
  await sql`update screenshots s set record = jsonb_set(o.record, '{slot}', o.record->'candidates'->1)
    from screenshots o where s.id = ${id} and o.id = s.retake_of`.execute(db);
}
