/** The versions of the screenshots of a set that people see now, as SQL, by the rules of `domain/versions.ts`. */
import { type RawBuilder, sql } from 'kysely';
import { MOST_RETAKES } from '../../domain/versions.ts';

export interface ShownTo {
  /** Whether a retake replaces a picture only after a reviewer approved it or its set, as for people with a link. */
  readonly isShared: boolean;
  /** Whether pictures without an approval are left out. */
  readonly approvedOnly: boolean;
  /** Only these screenshots of the set; all unless given. */
  readonly ids?: readonly string[] | null | undefined;
}

/** The names of the ads of a picture `s` of `shown`, in one text. */
export const AD_NAMES = sql`(select string_agg(a.name, ' + ' order by at)
  from unnest(s.ad_ids) with ordinality as u (id, at) join ads a on a.id = u.id)`;

/**
 * The queries `own`, which is the set, and `shown`: each screenshot of the set in the version that people see. A picture
 * that a reviewer rejected is left out unless another one replaces it. `own_id` and `own_seq` are those of the set.
 * The picture of a group is there once, for its first ad; `ids` and `ad_ids` are those of all its screenshots.
 */
export function shownVersions(setId: string, { isShared, approvedOnly, ids }: ShownTo): RawBuilder<unknown> {
  return sql`own as (
      select id, coalesce(original_id, id) as root, created_at, status from screenshot_sets where id = ${setId}::uuid
    ),
    family as (
      select id, created_at, status from own
      union all
      (select f.id, f.created_at, f.status from own join screenshot_sets f on f.original_id = own.root
        where f.created_at > own.created_at order by f.created_at desc limit ${MOST_RETAKES})
    ),
    newest as (
      select distinct on (o.id) o.id as own_id, o.seq as own_seq, f.status as set_status, v.id, v.set_id, v.ad_id,
        v.site_url, v.site_key, v.device, v.marker_ms, v.status, v.reason, v.decision, v.image_token, v.captured_at, v.animation,
        v.options->>'group' as group_name, v.options->>'location' as location
      from family f
      join screenshots v on v.set_id = f.id
      join screenshots o on o.set_id = ${setId}::uuid and coalesce(o.original_id, o.id) = coalesce(v.original_id, v.id)
      where v.id = o.id or (v.status = 'uploaded' and (v.decision = 'rejected' or (f.status <> 'rejected'
        and (f.status = 'approved' or v.decision = 'approved' or not ${isShared}::boolean))))
      order by o.id, (v.status = 'uploaded' and v.decision is distinct from 'rejected') desc, v.status = 'uploaded' desc,
        f.created_at desc, v.id
    ),
    allowed as (
      select *, case when group_name is null or status <> 'uploaded' then id::text else concat_ws(' ', group_name, site_key, device,
        location, (select sha256 from images where token = image_token)) end as picture
      from newest where decision is distinct from 'rejected'
        and (not ${approvedOnly}::boolean or decision = 'approved' or set_status = 'approved')
    ),
    shown as (
      select * from (
        select *, array_agg(id) over same as ids, array_agg(ad_id) over same as ad_ids, array_agg(own_id) over same as own_ids,
          row_number() over same as nth
        from allowed
        window same as (partition by picture order by own_seq rows between unbounded preceding and unbounded following)
      ) pictures where nth = 1 and ${ids ? sql`own_ids && ${[...ids]}::uuid[]` : sql`true`}
    )`;
}
