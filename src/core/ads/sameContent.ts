/**
 * For requests of the pages, which may use any ad of the organization: the same bytes are the same ad, and an ad of another
 * campaign is copied. Requests of the API make what they say.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

/** A file name may say the size of the creative. Then it is a part of the content. */
const sizeIn = (name: string) => sql`substring(lower(${sql.ref(name)}) from '[0-9]+x[0-9]+(?:@[0-9])?')`;

/** @returns the newest ad of the same file that did not fail and got no size; undefined if there is none. */
export async function findAdOfFile(
  db: Queryable,
  { organizationId, uploadId }: { readonly organizationId: string; readonly uploadId: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select a.id from uploads given
    join uploads u on u.organization_id = given.organization_id and u.sha256 = given.sha256
    join ads a on a.upload_id = u.id
    where given.organization_id = ${organizationId} and given.id = ${uploadId} and a.given_width is null
      and ${sizeIn('u.name')} is not distinct from ${sizeIn('given.name')} and a.status in ('pending', 'uploaded')
    order by a.created_at desc, a.id limit 1`.execute(db);
  return rows[0]?.id;
}

interface ToAdopt {
  readonly organizationId: string;
  readonly campaignId: string;
  readonly ids: readonly string[];
}

/**
 * Finds or makes an ad in the campaign for each of these: the ad itself if it is there, else one of the campaign with the
 * same content. A draft moves into the campaign, and of an ad of another campaign it gets a copy.
 * @returns the ids in the campaign by the given ids. An id that is none of the organization is missing.
 */
export async function adoptAds(tx: Queryable, given: ToAdopt): Promise<ReadonlyMap<string, string>> {
  const wanted = await lockWanted(tx, given);
  const moved = wanted.filter(({ same, is_draft }) => same === null && is_draft).map(({ id }) => id);
  const copies = wanted
    .filter(({ same, is_draft }) => same === null && !is_draft)
    .map(({ id }) => ({ id, copy: randomUUID() }));
  await sql`update ads set campaign_id = ${given.campaignId}, source = 'create_ad'
    where id = any(${moved}::uuid[])`.execute(tx);
  await sql`
    insert into ads (id, organization_id, campaign_id, name, kind, content, upload_id, given_width, given_height, source)
    select c.copy, organization_id, ${given.campaignId}, name, kind, content, upload_id, given_width, given_height,
      'screenshot_request'
    from json_to_recordset(${JSON.stringify(copies)}::json) as c (id uuid, copy uuid) join ads using (id)`.execute(tx);
  const copied = new Map(copies.map(({ id, copy }) => [id, copy]));
  return new Map(wanted.map(({ id, same }) => [id, same ?? copied.get(id) ?? id]));
}

interface Wanted {
  readonly id: string;
  readonly is_draft: boolean;
  /** The ad of the campaign to use; null if there is none. */
  readonly same: string | null;
}

/** The ads cannot be removed before the transaction ends. */
async function lockWanted(tx: Queryable, { organizationId, campaignId, ids }: ToAdopt): Promise<readonly Wanted[]> {
  const { rows } = await sql<Wanted>`
    select a.id, a.source = 'draft' as is_draft, case when a.campaign_id = ${campaignId} then a.id else (
      select s.id from ads s left join uploads of_s on of_s.id = s.upload_id
      where s.campaign_id = ${campaignId} and s.status in ('pending', 'uploaded') and s.kind = a.kind
        and (s.given_width, s.given_height) is not distinct from (a.given_width, a.given_height)
        and case when a.kind = 'upload'
          then of_s.sha256 = of_a.sha256 and ${sizeIn('of_s.name')} is not distinct from ${sizeIn('of_a.name')}
          else s.content = a.content and s.name = a.name end
      order by s.created_at, s.id limit 1) end as same
    from ads a left join uploads of_a on of_a.id = a.upload_id
    where a.organization_id = ${organizationId} and a.id = any(${[...ids]}::uuid[])
    order by a.id for update of a`.execute(tx);
  return rows;
}
