/** Share links of a set: creating and revoking. */
import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../db/database.ts';
import { type Actor, changesBetween } from '../../domain/auditLog.ts';
import { conflict, notFound, unknownId } from '../../domain/failure.ts';
import { SHARE_LINKS_MAX } from '../../domain/shareLinks.ts';
import { recordAction } from '../organizations/auditLogQueries.ts';
import { lockSet } from '../sets/setStatus.ts';
import {
  countActiveLinks,
  insertShareLink,
  listShareLinks,
  revokeShareLink,
  type ShareLinkRow,
} from './shareLinkQueries.ts';

interface LinkRef {
  readonly organizationId: string;
  readonly setId: string;
}

export interface WantedShareLink extends LinkRef {
  readonly label: string;
  readonly expiresAt: Date;
  /** Whether people with the link may download the pictures as files. */
  readonly downloads: boolean;
}

/** @throws Failure: 404 if there is no such set, 409 if it has too many valid links. */
export async function createShareLink(tx: Queryable, wanted: WantedShareLink, actor: Actor): Promise<ShareLinkRow> {
  const { organizationId, setId, label, expiresAt, downloads } = wanted;
  // The lock keeps simultaneous requests from exceeding the limit together.
  if ((await lockSet(tx, { organizationId, setId })) === undefined) throw unknownId();
  if ((await countActiveLinks(tx, setId)) >= SHARE_LINKS_MAX) {
    throw conflict('share', `cannot be created: the set has ${SHARE_LINKS_MAX} valid links. Revoke some first.`);
  }
  const id = randomUUID();
  const owner = { organization_id: organizationId, set_id: setId, created_by: actor.keyId };
  await insertShareLink(tx, { id, ...owner, label, expires_at: expiresAt, downloads });
  const changes = changesBetween({}, { screenshot_set_id: setId, label, expires_at: expiresAt, downloads });
  await recordAction(tx, actor, { organizationId, action: 'share_link.created', objectId: id, changes });
  return readLink(tx, { organizationId, setId, id });
}

/** @throws Failure (404) if the set has no such link. */
export async function revokeLink(tx: Queryable, link: LinkRef & { id: string }, actor: Actor): Promise<ShareLinkRow> {
  const before = await readLink(tx, link);
  if (!(await revokeShareLink(tx, link))) return before;
  const { organizationId, setId, id } = link;
  const changes = changesBetween({ screenshot_set_id: setId, label: before.label }, {});
  await recordAction(tx, actor, { organizationId, action: 'share_link.revoked', objectId: id, changes });
  return readLink(tx, link);
}

async function readLink(tx: Queryable, link: LinkRef & { id: string }): Promise<ShareLinkRow> {
  const [row] = (await listShareLinks(tx, link, { page: 1, perPage: 1 })).rows;
  if (row === undefined) throw unknownLink();
  return row;
}

const unknownLink = () => notFound('share_id', 'This set has no share link with this id.');
