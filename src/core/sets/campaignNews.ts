/** Overviews of campaigns: a picture, what is open, and what happened last. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { ObjectRef } from '../../db/rows.ts';
import type { SetPicture } from './listSets.ts';

/** `ready` and `failed`: the pictures of a set are finished. The others are decisions of reviewers and answers of clients. */
type NewsKind = 'requested' | 'ready' | 'failed' | 'approved' | 'rejected' | 'client_approved' | 'changes_requested';

export interface CampaignNews {
  readonly kind: NewsKind;
  readonly at: Date;
  /** The client, or the person or key that decided. */
  readonly by: string | null;
}

export interface CampaignOverview {
  readonly cover: SetPicture | null;
  /** Sets whose pictures are being taken. */
  readonly running: number;
  readonly news: CampaignNews | null;
}

/** A campaign may have thousands of sets; only the newest ones make news. */
const NEWEST = 20;

/** @returns the overview of each of these campaigns, by id. */
export async function readCampaignOverviews(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CampaignOverview>> {
  const { rows } = await sql<CampaignOverview & { id: string }>`
    with recent as (
      select t.* from unnest(${[...ids]}::uuid[]) as w (id) cross join lateral (
        select id, campaign_id, status, created_at, settled_at from screenshot_sets where campaign_id = w.id
        order by created_at desc, id limit ${NEWEST}) t
    ),
    news as (
      select campaign_id, 'requested' as kind, created_at as at, null as by from recent
      union all
      select campaign_id, case status when 'failed' then 'failed' else 'ready' end, settled_at, null from recent
      where settled_at is not null
      union all
      select r.campaign_id, case a.answer when 'approved' then 'client_approved' else a.answer end, a.created_at, a.client_name
      from recent r cross join lateral (
        select answer, created_at, client_name from share_answers where set_id = r.id order by created_at desc, id limit 1) a
      union all
      select r.campaign_id, v.decision, v.created_at, coalesce(u.name, nullif(k.name, '')) from recent r cross join lateral (
        select * from reviews where set_id = r.id and screenshot_id is null order by id desc limit 1) v
      left join users u on u.id = v.user_id left join api_keys k on k.id = v.key_id
      where v.decision <> 'none'
    )
    select w.id, cover.cover, last.news,
      (select count(*)::integer from recent where campaign_id = w.id and status in ('draft', 'capturing')) as running
    from unnest(${[...ids]}::uuid[]) as w (id)
    left join lateral (
      select json_build_object('token', i.token, 'width', i.width, 'height', i.height) as cover
      from recent r cross join lateral (
        select image_token from screenshots where set_id = r.id and image_token is not null order by seq limit 1) s
      join images i on i.token = s.image_token
      where r.campaign_id = w.id order by r.created_at desc limit 1
    ) cover on true
    left join lateral (
      select json_build_object('kind', kind, 'at', at, 'by', by) as news from news
      where campaign_id = w.id order by at desc limit 1
    ) last on true`.execute(db);
  const revived = rows.map(({ id, news, ...row }): [string, CampaignOverview] => [
    id,
    { ...row, news: news && { ...news, at: new Date(news.at) } },
  ]);
  return new Map(revived);
}

/** @returns the sites of the newest sets of a campaign, each with the number of its pictures there; most pictures first. */
export async function readCampaignSites(
  db: Queryable,
  campaignId: string,
  most: number,
): Promise<{ readonly site_url: string; readonly pictures: number }[]> {
  const { rows } = await sql<{ site_url: string; pictures: number }>`
    select site_url, count(*)::integer as pictures from screenshots where set_id in (
      select id from screenshot_sets where campaign_id = ${campaignId} and original_id is null
      order by created_at desc, id limit ${NEWEST})
    group by site_url order by count(*) desc, site_url limit ${most}`.execute(db);
  return rows;
}

/** @returns the people who acted or answered in the newest sets of a campaign, each once, the last one first. */
export async function readCampaignPeople(
  db: Queryable,
  { id: campaignId, organizationId }: ObjectRef,
  most: number,
): Promise<{ readonly name: string; readonly part: 'team' | 'client'; readonly at: Date }[]> {
  const { rows } = await sql<{ name: string; part: 'team' | 'client'; at: Date }>`
    with recent as (
      select id from screenshot_sets where campaign_id = ${campaignId} order by created_at desc, id limit ${NEWEST}
    )
    select name, part, max(at) as at from (
      select e.actor_name as name, 'team' as part, e.created_at as at from audit_log e
      where e.organization_id = ${organizationId} and e.object_id in (select id::text from recent)
        and e.actor_user_id is not null and e.actor_name is not null
      union all
      select client_name, 'client', created_at from share_answers where set_id in (select id from recent)
    ) people
    group by name, part order by max(at) desc limit ${most}`.execute(db);
  return rows;
}
