import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { optionsToJson } from '../../contract/storedOptions.ts';
import type { Queryable } from '../../db/database.ts';
import type { Metadata } from '../../domain/metadata.ts';
import type { Priority } from '../../domain/priorities.ts';
import { DEFAULT_OPTIONS } from '../../domain/screenshotOptions.ts';
import type { PlannedPicture, Retaken } from '../../domain/screenshots.ts';
import { contentsOf } from '../../domain/setNames.ts';
import { activeTraceparent } from '../../observe/tracing.ts';
import { insertOfSubscribers, type NewSubscriber } from '../journal/subscriberRows.ts';
import { pageAccessRows } from './pageAccess.ts';

export interface NewSet {
  readonly organizationId: string;
  readonly campaignId: string;
  /** Null: the set is named after its contents. */
  readonly name: string | null;
  readonly instructions: string | null;
  readonly metadata: Metadata;
  /** Undefined: the default of the organization. */
  readonly priority: Priority | undefined;
  readonly pictures: readonly PlannedPicture[];
  readonly subscribers: readonly NewSubscriber[];
  /** The set that this one takes again. */
  readonly retakeOf?: Retaken | undefined;
  readonly scheduleId?: string | undefined;
}

/** Most screenshots have the default options, which take no space. */
function optionsColumn({ options }: PlannedPicture): string | null {
  const json = JSON.stringify(optionsToJson(options));
  return json === DEFAULTS ? null : json;
}

const DEFAULTS = JSON.stringify(optionsToJson(DEFAULT_OPTIONS));

/** Stores a set with its screenshots and subscribers in one statement, because a trigger indexes the whole set after each statement. */
export async function insertSet(
  tx: Queryable,
  given: NewSet,
): Promise<{ id: string; created_at: Date; priority: Priority }> {
  const id = randomUUID();
  const { organizationId, campaignId, name, instructions, metadata, priority, retakeOf, scheduleId } = given;
  const access = pageAccessRows(tx, given.pictures);
  const contents = contentsOf(given.pictures);
  const originalId = retakeOf?.originalId ?? null;
  const { rows } = await sql<{ id: string; created_at: Date; priority: Priority }>`
    with made as (
      insert into screenshot_sets (id, organization_id, campaign_id, name, contents, nth, round, instructions, metadata, priority,
        retake_of, original_id, schedule_id, traceparent)
      select ${id}::uuid, o.id, ${campaignId}::uuid, ${name}, ${contents}, coalesce(same.nth, 0) + 1, coalesce(retake.round, 0) + 1,
        ${instructions}, ${JSON.stringify(metadata)}::jsonb, coalesce(${priority ?? null}, o.default_priority),
        ${retakeOf?.id ?? null}::uuid, ${originalId}::uuid, ${scheduleId ?? null}::uuid, ${activeTraceparent() ?? null}
      from organizations o
      left join lateral (
        select nth from screenshot_sets where campaign_id = ${campaignId}::uuid and contents = ${contents} and original_id is null
          and ${originalId}::uuid is null order by nth desc limit 1
      ) same on true
      left join lateral (
        select max(round) as round from screenshot_sets where ${originalId}::uuid in (id, original_id)
      ) retake on true
      where o.id = ${organizationId}::uuid
      returning id, created_at, priority
    ),
    pictures as (${screenshotStep(id, given.pictures, access.idOf)}),
    kept as (update uploads set expires_at = null
      where id = any(${given.pictures.flatMap(({ options }) => options.givenPage ?? [])}::uuid[])),
    accesses as (
      insert into page_access (id, set_id, content)
      select a.id, ${id}::uuid, a.content from json_to_recordset(${access.rows}::json) as a (id uuid, content text)
    ),
    new_subscribers as (${insertOfSubscribers(organizationId, given.subscribers, ['made', 'set_id'])})
    select id, created_at, priority from made`.execute(tx);
  const row = rows[0];
  if (row === undefined) throw new Error('The set was not stored.');
  return row;
}

function screenshotStep(
  setId: string,
  pictures: readonly PlannedPicture[],
  accessIdOf: (picture: PlannedPicture) => string | null,
): RawBuilder<unknown> {
  const column = (value: (picture: PlannedPicture) => string | number | null) => pictures.map(value);
  return sql`
    insert into screenshots (id, set_id, seq, ad_id, site_url, site_key, device, marker_ms, options,
      page_access_id, page_upload_id, retake_of, original_id)
    select gen_random_uuid(), ${setId}::uuid, (n.seq - 1)::integer, n.ad_id, n.site_url, n.site_key,
      n.device, n.marker_ms, n.options::jsonb, n.page_access_id, n.page_upload_id, n.retake_of,
      n.original_id
    from unnest(
      ${column(({ adId }) => adId)}::uuid[], ${column(({ siteUrl }) => siteUrl)}::text[],
      ${column(({ siteKey }) => siteKey)}::text[], ${column(({ device }) => device)}::text[],
      ${column(({ markerMs }) => markerMs)}::integer[], ${column(optionsColumn)}::text[],
      ${column(accessIdOf)}::uuid[], ${column(({ options }) => options.givenPage)}::uuid[],
      ${column(({ retakeOf }) => retakeOf?.id ?? null)}::uuid[],
      ${column(({ retakeOf }) => retakeOf?.originalId ?? null)}::uuid[]
    ) with ordinality as n (ad_id, site_url, site_key, device, marker_ms, options, page_access_id,
      page_upload_id, retake_of, original_id, seq)`;
}
