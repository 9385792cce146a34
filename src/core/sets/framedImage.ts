import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { FrameFacts } from '../../domain/framedPictures.ts';

/** @returns undefined if the token stands for a picture that is not a screenshot, for example a preview of an ad. */
export async function findFramedImage(db: Queryable, token: string): Promise<FrameFacts | undefined> {
  const { rows } = await sql<FrameFacts>`
    select s.device, coalesce((s.record->>'ratio')::float8, 1) as ratio,
      coalesce(s.record->>'final_url', s.site_url) as address, coalesce(s.captured_at, i.created_at) as "capturedAt"
    from screenshots s join images i on i.token = s.image_token
    where s.image_token = ${token}
    order by s.id limit 1`.execute(db);
  return rows[0];
}
