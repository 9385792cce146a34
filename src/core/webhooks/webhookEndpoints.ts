/** Changes to the webhook endpoints of an organization. Each function is part of a transaction of its caller. */

import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { NewWebhookEndpoint, WebhookEndpointChange } from '../../contract/webhookEndpoints.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { Enqueuer } from '../../db/queue.ts';
import type { ObjectRef } from '../../db/rows.ts';
import { type Actor, addressWithoutSecrets, changesBetween, type FieldChange } from '../../domain/auditLog.ts';
import { conflict, invalid, unknownId } from '../../domain/failure.ts';
import { ENDPOINTS_MAX } from '../../domain/webhookEndpoints.ts';
import { addressFault } from '../../egress/addressFault.ts';
import type { Guard } from '../../egress/guard.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { noteRemoved } from '../journal/tombstones.ts';
import {
  changePendingDeliveries,
  type EndpointState,
  type PendingChange,
  readEndpointState,
} from './endpointDeliveries.ts';
import {
  countEndpoints,
  type EndpointFieldsChange,
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  lockEndpoint,
  rotateEndpointSecret,
  updateEndpoint,
} from './webhookEndpointQueries.ts';

/** Deliveries of one step, so that no transaction is long or holds many locks. */
const MOST = 1_000;
/** After a step that found only deliveries whose attempts are being stored. */
const PAUSE_MS = 100;

/** The person who changes an endpoint, and the queue for what follows from it. */
export interface EndpointChange {
  readonly actor: Actor;
  readonly queue: Enqueuer;
}

export interface EndpointWithSecret {
  readonly row: EndpointRow;
  readonly secret: string;
}

/** Run it before the transaction, because it asks the DNS. @throws Failure (422) for an address that the service would not connect to. */
export async function checkEndpointAddress(guard: Pick<Guard, 'resolve'>, url: string): Promise<void> {
  const fault = await addressFault(guard, url.trim());
  if (fault !== undefined) throw invalid({ url: [fault] });
}

/** @throws Failure (409) if the organization has too many endpoints. */
export async function createEndpoint(
  tx: Queryable,
  organizationId: string,
  body: NewWebhookEndpoint,
  actor: Actor,
): Promise<EndpointWithSecret> {
  await lockOrganizationById(tx, organizationId);
  if ((await countEndpoints(tx, organizationId)) >= ENDPOINTS_MAX)
    throw conflict('url', `would be one more than ${ENDPOINTS_MAX} webhook endpoints: delete one first.`);
  const { id, secret } = await insertEndpoint(tx, organizationId, {
    url: body.url.trim(),
    topics: body.topics ?? null,
    description: body.description?.trim() ?? '',
    headers: body.headers ?? {},
    disabled: body.disabled ?? false,
  });
  const row = await requireEndpoint(tx, { organizationId, id });
  const of = { organizationId, id };
  await recordAction(tx, actor, { action: 'webhook_endpoint.created', of, to: auditedFields(row) });
  return { row, secret };
}

/** Pending deliveries end if the endpoint is disabled, and go to the new address if that changed. @throws Failure (404) */
export async function changeEndpoint(
  tx: Queryable,
  one: ObjectRef,
  { url, topics, description, headers, disabled }: WebhookEndpointChange,
  { actor, queue }: EndpointChange,
): Promise<EndpointRow> {
  const before = await lockedEndpoint(tx, one);
  const newUrl = url?.trim();
  const change: EndpointFieldsChange = {
    ...{ url: newUrl, topics, description: description === null ? '' : description?.trim() },
    headers: headers === null ? {} : headers,
    disabled: disabled === (before.disabled_at !== null) ? undefined : (disabled ?? undefined),
  };
  await updateEndpoint(tx, one.id, change);
  const isMoved = newUrl !== undefined && newUrl !== before.url;
  if (change.disabled === true || isMoved) await updatePendingDeliveries(tx, one.id, queue);
  const after = await requireEndpoint(tx, one);
  const changes = endpointChanges(before, after, headers !== undefined);
  if (changes.length > 0) await recordAction(tx, actor, { action: 'webhook_endpoint.updated', of: one, changes });
  return after;
}

/** Neither the values of headers nor the paths of addresses are in the audit log, because they often contain secrets. */
function auditedFields({ url, topics, description, header_names, disabled_at }: EndpointRow) {
  const disabled = disabled_at !== null;
  return { url: addressWithoutSecrets(url), topics, description, header_names, disabled };
}

function endpointChanges(before: EndpointRow, after: EndpointRow, hasNewHeaders: boolean): FieldChange[] {
  const [from, to] = [auditedFields(before), auditedFields(after)];
  const changes = changesBetween(from, to);
  const isNamed = (field: string) => changes.some((change) => change.field === field);
  // A change that the shown text hides is a change too.
  if (before.url !== after.url && !isNamed('url')) changes.push({ field: 'url', from: from.url, to: to.url });
  if (hasNewHeaders && !isNamed('header_names') && after.header_names.length > 0) {
    const names = after.header_names.join(', ');
    changes.push({ field: 'headers', from: names, to: names });
  }
  return changes;
}

/** Its pending deliveries end. @throws Failure (404) */
export async function deleteEndpoint(tx: Queryable, one: ObjectRef, { actor, queue }: EndpointChange): Promise<void> {
  const row = await lockedEndpoint(tx, one);
  // The row stays, without secrets, for the deliveries that name it.
  const gone = { deleted_at: sql<Date>`now()`, secret: null, previous_secret: null, headers: null };
  await tx.updateTable('webhook_endpoints').set(gone).where('id', '=', one.id).execute();
  await noteRemoved(tx, one);
  await updatePendingDeliveries(tx, one.id, queue);
  await recordAction(tx, actor, { action: 'webhook_endpoint.deleted', of: one, from: auditedFields(row) });
}

/** @throws Failure (404) */
export async function replaceEndpointSecret(
  tx: Queryable,
  one: ObjectRef,
  keepPrevious: boolean,
  actor: Actor,
): Promise<EndpointWithSecret> {
  await lockedEndpoint(tx, one);
  const secret = await rotateEndpointSecret(tx, one.id, keepPrevious);
  const to = { keep_previous: keepPrevious };
  await recordAction(tx, actor, { action: 'webhook_endpoint.rotated', of: one, to });
  return { row: await requireEndpoint(tx, one), secret };
}

/** @throws Failure (404) */
export async function requireEndpoint(db: Queryable, one: ObjectRef): Promise<EndpointRow> {
  const row = await findEndpoint(db, one);
  if (row === undefined) throw unknownId();
  return row;
}

/** Also locks it, so that nobody disables it before the end of the transaction. @throws Failure: 404, and 409 if it is disabled. */
export async function requireEnabledEndpoint(tx: Queryable, one: ObjectRef): Promise<EndpointRow> {
  const row = await lockedEndpoint(tx, one);
  if (row.disabled_at !== null) throw conflict('disabled', 'is true: enable the webhook endpoint first.');
  return row;
}

async function lockedEndpoint(tx: Queryable, one: ObjectRef): Promise<EndpointRow> {
  if (!(await lockEndpoint(tx, one))) throw unknownId();
  return requireEndpoint(tx, one);
}

/**
 * Pending deliveries follow their webhook endpoint: they end when it is disabled or deleted, and go to its new address. A
 * dead endpoint may have very many, so this happens in steps of one transaction each. Until the last step, no worker sends
 * anything to a disabled endpoint or to an old address, because workers read the endpoint. This makes the first step, in
 * the transaction that changes the endpoint, and enqueues the others.
 */
export async function updatePendingDeliveries(tx: Queryable, endpointId: string, queue: Enqueuer): Promise<void> {
  const { isComplete } = await makeStep(tx, endpointId);
  if (!isComplete) await queue.enqueue(tx, 'update_deliveries', { endpoint_id: endpointId });
}

/** Makes the other steps. @throws the reason of `signal`, and errors of PostgreSQL; the queue then calls it again. */
export async function finishPendingDeliveries(db: Database, endpointId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { changed, isComplete } = await db.transaction().execute((tx) => makeStep(tx, endpointId));
    if (isComplete) return;
    if (changed === 0) await sleep(PAUSE_MS, undefined, { signal });
  }
}

async function makeStep(tx: Queryable, endpointId: string): Promise<{ changed: number; isComplete: boolean }> {
  const endpoint = await readEndpointState(tx, endpointId);
  if (endpoint === undefined) return { changed: 0, isComplete: true };
  return changePendingDeliveries(tx, endpointId, { change: changeFor(endpoint), most: MOST });
}

function changeFor({ url, deleted_at, disabled_at, disabled_reason }: EndpointState): PendingChange {
  if (deleted_at !== null) return { reason: 'The webhook endpoint was deleted.' };
  if (disabled_at === null) return { url };
  if (disabled_reason === null) return { reason: 'The webhook endpoint was disabled.' };
  return { reason: `The service disabled the webhook endpoint. ${disabled_reason}` };
}
