/** The versions of the screenshots of sets that people see now, as SQL, by the rules of `domain/versions.ts`. */
import { type RawBuilder, sql } from 'kysely';
import { MOST_RETAKES } from '../../domain/versions.ts';

export interface ShownTo {
  /** Whether a retake replaces a picture only after a reviewer approved it or its set, as for people with a link. */
  readonly isShared: boolean;
  /** Whether pictures without an approval are left out. */
  readonly approvedOnly: boolean;
  /** Only these screenshots, as ids of the set or of its retakes; all unless given. */
  readonly ids?: readonly string[] | null | undefined;
}

/** The names of the ads of a picture `s` of `shown`, in one text. */
export const AD_NAMES = sql`(select string_agg(a.name, ' + ' order by at)
  from unnest(s.ad_ids) with ordinality as u (id, at) join ads a on a.id = u.id)`;

/** A set, or a campaign with all its sets: one of the ids is given. */
export interface Owner {
  readonly setId?: string | null | undefined;
  readonly campaignId?: string | null | undefined;
}

export const kindOf = ({ setId }: Owner) => (setId ? 'set' : 'campaign');

/** The condition on `screenshot_sets`. A campaign has no rejected sets to show, and retakes belong to the sets they retake. */
export const setsOf = ({ setId, campaignId }: Owner): RawBuilder<boolean> =>
  setId
    ? sql`screenshot_sets.id = ${setId}::uuid`
    : sql`screenshot_sets.campaign_id = ${campaignId}::uuid and original_id is null and status <> 'rejected'`;

/** The owner of a share link or an export. */
export const ownerOf = (row: OwnerColumns): Owner => ({ setId: row.set_id, campaignId: row.campaign_id });

export const ownerColumns = ({ setId = null, campaignId = null }: Owner) => ({
  set_id: setId,
  campaign_id: campaignId,
});
type OwnerColumns = ReturnType<typeof ownerColumns>;

/** The owner as answers and the audit log name it. */
export const ownerFields = ({ setId, campaignId }: Owner) => ({
  ...(setId && { screenshot_set_id: setId }),
  ...(campaignId && { campaign_id: campaignId }),
});

/** The condition on share links or exports. */
export const isOf = ({ setId, campaignId }: Owner): RawBuilder<boolean> =>
  setId ? sql`set_id = ${setId}::uuid` : sql`campaign_id = ${campaignId}::uuid`;

/**
 * The queries `own`, which are the sets, and `newest`: each of their screenshots in the version that people see. `own_set` and
 * `own_id` are the set and its own version. `own_seq` continues from set to set, the oldest set first.
 */
export function newestVersions(sets: RawBuilder<boolean>, isShared: boolean): RawBuilder<unknown> {
  return sql`own as (
      select id, coalesce(original_id, id) as root, created_at, status, coalesce(sum(
        (select seq + 1 from screenshots where set_id = screenshot_sets.id order by seq desc limit 1)
      ) over (order by created_at, id rows between unbounded preceding and 1 preceding), 0)::integer as first_seq
      from screenshot_sets where ${sets}
    ),
    family as (
      select id as own_set, first_seq, id, created_at, status from own
      union all
      select own.id, own.first_seq, f.id, f.created_at, f.status from own cross join lateral (
        select id, created_at, status from screenshot_sets where original_id = own.root and created_at > own.created_at
        order by created_at desc limit ${MOST_RETAKES}) f
    ),
    -- Without a join of versions, for which the planner expects sets of an average size, and then large ones take minutes.
    versions as (
      select f.own_set, f.status as set_status, f.created_at as set_created_at, coalesce(v.original_id, v.id) as root, v.id,
        v.set_id, v.ad_id, v.site_url, v.site_key, v.device, v.marker_ms, v.status, v.reason, v.decision, v.image_token,
        v.captured_at, v.animation, v.options->>'group' as group_name, v.options->>'location' as location,
        (array_agg(v.id) filter (where v.set_id = f.own_set) over same)[1] as own_id,
        f.first_seq + max(v.seq) filter (where v.set_id = f.own_set) over same as own_seq
      from family f join screenshots v on v.set_id = f.id
      window same as (partition by f.own_set, coalesce(v.original_id, v.id))
    ),
    newest as (
      select distinct on (own_set, root) * from versions
      where id = own_id or (own_id is not null and status = 'uploaded' and (decision = 'rejected' or (set_status <> 'rejected'
        and (set_status = 'approved' or decision = 'approved' or not ${isShared}::boolean))))
      order by own_set, root, (status = 'uploaded' and decision is distinct from 'rejected') desc, status = 'uploaded' desc,
        set_created_at desc, id
    )`;
}

/**
 * The queries of {@link newestVersions} and `shown`: as `newest`, but a picture that a reviewer rejected is left out unless
 * another one replaces it. The picture of a group is there once, for its first ad; `ids`, `own_ids` and `ad_ids` are those of
 * all its screenshots. A rejected set shows nothing to people with a link.
 */
export function shownVersions(owner: Owner, { isShared, approvedOnly, ids }: ShownTo): RawBuilder<unknown> {
  const sets = setsOf(owner);
  return sql`${newestVersions(isShared ? sql`${sets} and status <> 'rejected'` : sets, isShared)},
    allowed as (
      select *, case when group_name is null or status <> 'uploaded' then id::text else concat_ws(' ', own_set, group_name, site_key, device,
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
      ) pictures where nth = 1 and ${ids ? sql`(own_ids || ids) && ${[...ids]}::uuid[]` : sql`true`}
    )`;
}
