/** Share links of a set or a campaign. The address of a link is not stored: it is computed from the id. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import { notify } from '../../db/notifications.ts';
import type { Row } from '../../db/rows.ts';
import { type Actor, changesBetween } from '../../domain/auditLog.ts';
import { conflict, notFound, unknownId } from '../../domain/failure.ts';
import {
  canRestore,
  RESTORE_MINUTES,
  SHARE_LINKS_MAX,
  type SharedPictures,
  shareState,
} from '../../domain/shareLinks.ts';
import type { Language } from '../../domain/texts/languages.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { recordNotice } from '../journal/recordNotice.ts';
import { lockCampaign } from '../sets/campaigns.ts';
import { lockSet } from '../sets/setStatus.ts';
import { isOf, kindOf, type Owner, ownerColumns, ownerFields } from '../sets/shownVersions.ts';
import type { Shown } from './sharedPictures.ts';
import { hashPassword } from './sharePasswords.ts';

export interface ShareLinkRow extends Omit<Row<'share_links'>, 'organization_id'> {
  /** Name of the key that created it. */
  readonly creator: string | null;
  /** Name of the person who created it. */
  readonly user_name: string | null;
  /** Answers of clients that came through it. */
  readonly answered: number;
}

interface LinksOf extends LinkRef, TimeRange {
  /** Only this link. */
  readonly id?: string;
}

export interface SharedSet
  extends Pick<
    Row<'share_links'>,
    'id' | 'label' | 'expires_at' | 'revoked_at' | 'downloads' | 'answers' | 'password_hash' | keyof Shown
  > {
  /** The name of its campaign. */
  readonly campaign: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly language: Language;
  readonly time_zone: string;
  /** Whether the organization is disabled. */
  readonly disabled: boolean;
}

interface LinkRef extends Owner {
  readonly organizationId: string;
}

export interface WantedShareLink extends LinkRef {
  readonly label: string;
  readonly expiresAt: Date;
  /** Whether people with the link may download the pictures as files. */
  readonly downloads: boolean;
  /** Whether people with the link may answer and comment. False unless given. */
  readonly answers?: boolean;
  /** Null or undefined: the link needs none. */
  readonly password?: string | null | undefined;
  /** All unless given. */
  readonly pictures?: SharedPictures;
  /** Screenshots; all unless given. */
  readonly screenshotIds?: readonly string[] | undefined;
}

/** @throws Failure: 404 if there is no such set or campaign, 409 if it has too many valid links. */
export async function createShareLink(tx: Queryable, wanted: WantedShareLink, actor: Actor): Promise<ShareLinkRow> {
  const { organizationId, label, expiresAt, downloads, answers = false, pictures = 'all' } = wanted;
  const chosen = wanted.screenshotIds?.slice() ?? null;
  // The lock keeps simultaneous requests from exceeding the limit together.
  await lockOwner(tx, wanted);
  await requirePlace(tx, wanted, 'created');
  const id = randomUUID();
  const owner = {
    organization_id: organizationId,
    ...ownerColumns(wanted),
    created_by: actor.keyId,
    created_by_user: actor.userId,
  };
  const password_hash = wanted.password ? await hashPassword(wanted.password) : null;
  const choices = { label, expires_at: expiresAt, downloads, answers, pictures };
  await tx
    .insertInto('share_links')
    .values({ id, ...owner, ...choices, password_hash, screenshot_ids: chosen })
    .execute();
  const to = { ...ownerFields(wanted), ...choices, has_password: password_hash !== null, screenshot_ids: chosen };
  await recordAction(tx, actor, { action: 'share_link.created', of: { organizationId, id }, to });
  await noteChange(tx, wanted);
  return readLink(tx, { ...wanted, id });
}

export interface LinkChange {
  readonly expires_at?: Date | null | undefined;
  /** Null removes it. */
  readonly password?: string | null | undefined;
  /** Restores a link that was just revoked. */
  readonly revoked?: false | null | undefined;
}

/** @throws Failure: 404, and 409 for a revoked link that is not restored in time, and above the limit of valid links. */
export async function changeLink(
  tx: Queryable,
  link: LinkRef & { id: string },
  { expires_at, password, revoked }: LinkChange,
  actor: Actor,
): Promise<ShareLinkRow> {
  const { id } = link;
  await lockOwner(tx, link);
  const before = await readLink(tx, link);
  if (before.revoked_at !== null && (revoked !== false || !canRestore(before.revoked_at)))
    throw conflict('revoked', `is true. A link can be restored for ${RESTORE_MINUTES} minutes; create a new one.`);
  if (shareState(before, new Date()) !== 'active') await requirePlace(tx, link, 'valid again');
  const hash = password ? await hashPassword(password) : null;
  const values = {
    revoked_at: null,
    expires_at: expires_at ?? before.expires_at,
    password_hash: password === undefined ? before.password_hash : hash,
  };
  await tx.updateTable('share_links').set(values).where('id', '=', id).execute();
  // They may not know the new password.
  if (password !== undefined) await tx.deleteFrom('share_followers').where('share_id', '=', id).execute();
  const fields = ({ expires_at: end, revoked_at, password_hash }: typeof values | ShareLinkRow) => ({
    ...{ expires_at: end, revoked: revoked_at !== null, has_password: password_hash !== null },
  });
  const changed = { ...fields(values), ...(password && { password: 'changed' }) };
  const changes = changesBetween(fields(before), changed);
  if (changes.length > 0) await recordAction(tx, actor, { action: 'share_link.updated', of: link, changes });
  await noteChange(tx, link);
  return readLink(tx, link);
}

/** @throws Failure (404) if the set or the campaign has no such link. */
export async function revokeLink(tx: Queryable, link: LinkRef & { id: string }, actor: Actor): Promise<ShareLinkRow> {
  const before = await readLink(tx, link);
  const isValid = tx.updateTable('share_links').where('id', '=', link.id).where('revoked_at', 'is', null);
  const { numUpdatedRows } = await isValid.set({ revoked_at: sql<Date>`now()` }).executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return before;
  const from = { ...ownerFields(link), label: before.label };
  await recordAction(tx, actor, { action: 'share_link.revoked', of: link, from });
  await noteChange(tx, link);
  return readLink(tx, link);
}

async function readLink(tx: Queryable, link: LinkRef & { id: string }): Promise<ShareLinkRow> {
  const [row] = (await listShareLinks(tx, link, { page: 1, perPage: 1 })).rows;
  if (row === undefined) throw notFound('share_id', `This ${kindOf(link)} has no share link with this id.`);
  return row;
}

/** @throws Failure (404) if there is no such set or campaign. */
async function lockOwner(tx: Queryable, { organizationId, setId, campaignId }: LinkRef): Promise<void> {
  const found = setId
    ? await lockSet(tx, { organizationId, setId })
    : await lockCampaign(tx, { organizationId, id: campaignId ?? '' });
  if (found === undefined) throw unknownId();
}

/** Nobody watches the links of a campaign. */
async function noteChange(tx: Queryable, { setId }: Owner): Promise<void> {
  if (setId) await notify(tx, { set: setId });
}

/** @throws Failure (409) if as many links as can be are valid now. */
async function requirePlace(db: Queryable, owner: Owner, what: string): Promise<void> {
  const { count } = await db
    .selectFrom('share_links')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where(isOf(owner))
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow();
  if (Number(count) < SHARE_LINKS_MAX) return;
  const fault = `the ${kindOf(owner)} has ${SHARE_LINKS_MAX} valid links. Revoke some first.`;
  throw conflict('share', `cannot be ${what}: ${fault}`);
}

/** The links of a set or a campaign, newest first, also those that are no longer valid. */
export async function listShareLinks(db: Queryable, filter: LinksOf, page: Page): Promise<ListPage<ShareLinkRow>> {
  const matching = db
    .selectFrom('share_links')
    .where(isOf(filter))
    .where('share_links.organization_id', '=', filter.organizationId)
    .where(isInRange(sql`share_links.created_at`, filter))
    .$if(filter.id !== undefined, (q) => q.where('share_links.id', '=', filter.id ?? ''));
  const rows = matching
    .leftJoin('api_keys', 'api_keys.id', 'share_links.created_by')
    .leftJoin('users', 'users.id', 'share_links.created_by_user')
    .selectAll('share_links')
    .select(['api_keys.name as creator', 'users.name as user_name'])
    .select(sql<number>`(select count(*)::integer from share_answers where share_id = share_links.id)`.as('answered'))
    .orderBy('share_links.created_at', 'desc')
    .orderBy('share_links.id');
  return readListPage(db, rows, page);
}

/** The set of a link `share_links`, or the newest of its campaign. */
const NEWEST_SET = sql<string | null>`coalesce(share_links.set_id, (select t.id from screenshot_sets t
  where t.campaign_id = share_links.campaign_id and t.original_id is null order by t.created_at desc limit 1))`;

/** The link with its organization, valid or not. @param isLocked until the end of the transaction. */
export async function findShareLink(
  db: Queryable,
  id: string,
  { isLocked = false } = {},
): Promise<SharedSet | undefined> {
  const row = await db
    .selectFrom('share_links')
    .innerJoin('organizations as o', 'o.id', 'share_links.organization_id')
    .leftJoin('screenshot_sets as s', 's.id', 'share_links.set_id')
    .innerJoin('campaigns as c', (on) => on.on(sql<boolean>`c.id = coalesce(share_links.campaign_id, s.campaign_id)`))
    .selectAll('share_links')
    .select(['c.name as campaign', 'o.slug', 'o.disabled_at', 'o.language', 'o.time_zone'])
    .where('share_links.id', '=', id)
    .$if(isLocked, (q) => q.forUpdate('share_links'))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { organization_id, disabled_at, ...link } = row;
  return { ...link, organizationId: organization_id, disabled: disabled_at !== null };
}

/** Notes that a link was opened, at most once a minute, so that a page with many readers does not write at each request. */
export async function noteShareLinkUse(db: Database, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const link = await tx
      .updateTable('share_links')
      .set({ last_used_at: sql<Date>`now()`, uses: sql<number>`uses + 1` })
      .where('id', '=', id)
      .where(sql<boolean>`(last_used_at is null or last_used_at <= now() - interval '1 minute')`)
      .returning(['uses', 'organization_id as organizationId', 'label', NEWEST_SET.as('setId')])
      .executeTakeFirst();
    if (link?.uses !== 1) return;
    const { organizationId, setId, label } = link;
    await recordNotice(tx, { organizationId, setId, subjectId: id, kind: 'share_opened', facts: { label } });
  });
}
