/** The names of sets, pictures and what belongs to them, for lists that store only ids. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { shortDevice } from '../../domain/devices.ts';
import { NAME_COLUMNS, setName } from '../../domain/setNames.ts';
import { isUuid } from '../../domain/slugs.ts';
import { withScheme } from '../../domain/webAddresses.ts';

export interface NamedObject {
  readonly kind: 'set' | 'screenshot' | 'ad' | 'campaign' | 'schedule' | 'share_link' | 'campaign_link' | 'deleted';
  readonly name: string;
  /** The id of its page; that of the set or the campaign for a share link. */
  readonly pageId: string;
}

interface Row {
  readonly id: string;
  readonly kind: NamedObject['kind'];
  readonly name: string | null;
  readonly site_url: string | null;
  readonly device: string | null;
  readonly set_id: string | null;
}

/** @returns the names of these objects by id. An object that was deleted has the name that its deletion recorded. */
export async function readObjectNames(
  db: Queryable,
  { organizationId, ids }: { readonly organizationId: string; readonly ids: readonly (string | null)[] },
): Promise<ReadonlyMap<string, NamedObject>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null && isUuid(id));
  if (wanted.length === 0) return new Map();
  const sets = await db
    .selectFrom('screenshot_sets')
    .innerJoin('campaigns', 'campaigns.id', 'screenshot_sets.campaign_id')
    .select(['screenshot_sets.id', ...NAME_COLUMNS.map((name) => `screenshot_sets.${name}` as const)])
    .select('campaigns.name as campaign')
    .where(sql<boolean>`screenshot_sets.id = any(${wanted}::uuid[])`)
    .where('screenshot_sets.organization_id', '=', organizationId)
    .execute();
  const { rows } = await sql<Row>`
    with wanted as (select unnest(${wanted}::uuid[]) as id)
    select p.id, 'screenshot' as kind, a.name, p.site_url, p.device, p.set_id
    from wanted join screenshots p using (id) join screenshot_sets s on s.id = p.set_id join ads a on a.id = p.ad_id
    where s.organization_id = ${organizationId}
    union all
    select id, 'ad', name, null, null, null from wanted join ads using (id) where organization_id = ${organizationId}
    union all
    select id, 'campaign', name, null, null, null from wanted join campaigns using (id)
    where organization_id = ${organizationId}
    union all
    select id, 'schedule', name, null, null, null from wanted join schedules using (id)
    where organization_id = ${organizationId}
    union all
    select l.id, case when l.set_id is null then 'campaign_link' else 'share_link' end, l.label, null, null,
      coalesce(l.set_id, l.campaign_id) from wanted join share_links l using (id)
    where l.organization_id = ${organizationId}
    union all
    select w.id, 'deleted', change->>'from', null, null, null
    from wanted w join audit_log e on e.organization_id = ${organizationId} and e.object_id = w.id::text
      and e.action in ('screenshot_set.deleted', 'ad.deleted', 'campaign.deleted', 'schedule.deleted')
    cross join jsonb_array_elements(e.changes) change where change->>'field' = 'name'`.execute(db);
  const ofSets = sets.map((set): [string, NamedObject] => [
    set.id,
    { kind: 'set', name: setName(set), pageId: set.id },
  ]);
  return new Map([...ofSets, ...rows.map((row): [string, NamedObject] => [row.id, named(row)])]);
}

function named({ id, kind, name, site_url, device, set_id }: Row): NamedObject {
  if (site_url === null || device === null) return { kind, name: name ?? '', pageId: set_id ?? id };
  const { host = site_url } = URL.parse(withScheme(site_url)) ?? {};
  return { kind, name: `${host} · ${shortDevice(device)} · ${name}`, pageId: id };
}
