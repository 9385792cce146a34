/** The chats of an organization. Each function that changes something is part of a transaction of its caller. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import { openSecret, sealSecret } from '../../db/secrets/sealing.ts';
import { type Actor, SERVICE } from '../../domain/auditLog.ts';
import { conflict, unknownId } from '../../domain/failure.ts';
import { CHATS_MAX, type ChatKind, type NoticeKind } from '../../domain/notices.ts';
import { TEST_TOPIC } from '../../domain/topics.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { storeNotice } from './collect.ts';

export type ChatRow = Omit<Row<'notice_chats'>, 'address'>;

export interface NewChat {
  readonly name: string;
  readonly kind: ChatKind;
  /** A URL that the guard has checked. No function returns it again, except to the sender. */
  readonly address: string;
  readonly notices: readonly NoticeKind[];
}

/** By name. */
export async function listChats(db: Queryable, organizationId: string): Promise<ChatRow[]> {
  return chats(db).where('organization_id', '=', organizationId).orderBy('name').execute();
}

const chats = (db: Queryable) =>
  db
    .selectFrom('notice_chats')
    .select(['id', 'organization_id', 'name', 'kind', 'host', 'notices'])
    .select(['disabled_at', 'disabled_reason', 'created_at']);

/** Locks the chat. @throws Failure (404) */
async function lockChat(tx: Queryable, { organizationId, id }: ObjectRef): Promise<ChatRow> {
  const one = chats(tx).where('organization_id', '=', organizationId).where('id', '=', id);
  const row = await one.forUpdate().executeTakeFirst();
  if (row === undefined) throw unknownId();
  return row;
}

/** @throws Failure (409) if there are too many chats, or one of this name. */
export async function createChat(tx: Queryable, organizationId: string, chat: NewChat, actor: Actor): Promise<void> {
  await lockOrganizationById(tx, organizationId);
  const present = await listChats(tx, organizationId);
  if (present.length >= CHATS_MAX) throw conflict('name', `would be one more than ${CHATS_MAX} chats: remove one.`);
  if (present.some(({ name }) => name === chat.name)) throw conflict('name', 'is the name of another chat.');
  const id = randomUUID();
  const { name, kind, address, notices } = chat;
  const { host } = new URL(address);
  await tx
    .insertInto('notice_chats')
    .values({
      ...{ id, organization_id: organizationId, name, kind, host, notices: [...notices] },
      address: sealSecret(tx, address, `notice_chats.address of ${id}`),
    })
    .execute();
  const to = { name, kind, host, notices };
  await recordAction(tx, actor, { action: 'notice_chat.created', of: { organizationId, id }, to });
}

/** @throws Failure (404) */
export async function enableChat(tx: Queryable, one: ObjectRef, actor: Actor): Promise<void> {
  const { name } = await lockChat(tx, one);
  await setDisabled(tx, one, null);
  await recordAction(tx, actor, { action: 'notice_chat.enabled', of: one, to: { name } });
}

/** Its deliveries go with it. @throws Failure (404) */
export async function deleteChat(tx: Queryable, one: ObjectRef, actor: Actor): Promise<void> {
  const { name, kind, host } = await lockChat(tx, one);
  await tx.deleteFrom('notice_chats').where('id', '=', one.id).execute();
  await recordAction(tx, actor, { action: 'notice_chat.deleted', of: one, to: { name, kind, host } });
}

/** @returns the id of the delivery, which has one attempt. @throws Failure: 404, and 409 if the chat is disabled. */
export async function testChat(tx: Queryable, one: ObjectRef, place: TestPlace, actor: Actor): Promise<string> {
  const { name, disabled_at } = await lockChat(tx, one);
  if (disabled_at !== null) throw conflict('disabled', 'is true: enable the chat first.');
  await recordAction(tx, actor, { action: 'notice_chat.tested', of: one, to: { name } });
  const text = 'This is a test message from Settings, Notices. The chat works.';
  const items = [{ kind: 'test', title: 'Test', text, url: `${place.publicUrl}/o/${place.slug}` }] as const;
  const to = { organization_id: one.organizationId, user_id: null, chat_id: one.id, receiver: name };
  const object = { type: 'notice', organization: place.slug, language: 'en', items, more: 0 } as const;
  return storeNotice(tx, to, { topic: TEST_TOPIC, object, setId: null });
}

interface TestPlace {
  readonly publicUrl: string;
  readonly slug: string;
}

/** Because its address answered that it is gone. Does nothing to a chat that is disabled or removed. */
export async function disableChat(tx: Queryable, one: ObjectRef, reason: string): Promise<void> {
  const row = await chats(tx).where('id', '=', one.id).where('disabled_at', 'is', null).forUpdate().executeTakeFirst();
  if (row === undefined) return;
  await setDisabled(tx, one, reason);
  const to = { name: row.name, disabled_reason: reason };
  await recordAction(tx, SERVICE, { action: 'notice_chat.disabled', of: one, to });
}

async function setDisabled(tx: Queryable, { id }: ObjectRef, reason: string | null): Promise<void> {
  await tx
    .updateTable('notice_chats')
    .set({ disabled_at: reason === null ? null : sql<Date>`now()`, disabled_reason: reason })
    .where('id', '=', id)
    .execute();
}

/** @returns undefined if the chat was removed. */
export async function readChatToSend(
  db: Queryable,
  id: string,
): Promise<{ kind: ChatKind; address: string; isDisabled: boolean } | undefined> {
  const row = await db.selectFrom('notice_chats').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const address = openSecret(db, row.address, `notice_chats.address of ${id}`);
  return { kind: row.kind, address, isDisabled: row.disabled_at !== null };
}
