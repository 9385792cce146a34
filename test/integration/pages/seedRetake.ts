import { randomUUID } from 'node:crypto';
import { type PagesServer, seedPicture } from './pagesServer.ts';

/** Stores a finished retake of one screenshot. */
export async function seedRetake(
  server: PagesServer,
  of: string,
  screenshotId: string,
  status: 'approved' | 'in_review',
): Promise<{ setId: string; token: string }> {
  const { db } = server.store;
  const set = await db.selectFrom('screenshot_sets').selectAll().where('id', '=', of).executeTakeFirstOrThrow();
  const shot = await db.selectFrom('screenshots').selectAll().where('id', '=', screenshotId).executeTakeFirstOrThrow();
  const [setId, token] = [randomUUID(), await seedPicture(db, server.organizationId, '1440x900')];
  const { organization_id, campaign_id } = set;
  const { length: earlier } = await db
    .selectFrom('screenshot_sets')
    .select('id')
    .where('original_id', '=', of)
    .execute();
  const retake = { settled_at: new Date(), retake_of: of, original_id: of, round: earlier + 2 };
  await db
    .insertInto('screenshot_sets')
    .values({ id: setId, organization_id, campaign_id, status, ...retake })
    .execute();
  await db
    .insertInto('screenshots')
    .values({
      ...{ id: randomUUID(), set_id: setId, seq: 0, ad_id: shot.ad_id, device: shot.device, marker_ms: shot.marker_ms },
      ...{ site_url: shot.site_url, site_key: shot.site_key, status: 'uploaded', image_token: token },
      ...{ captured_at: new Date('2026-11-22T10:00:00Z'), retake_of: screenshotId, original_id: screenshotId },
    })
    .execute();
  return { setId, token };
}
