/** Changes to the webhook endpoints of an organization. Each function is part of a transaction of its caller. */
import type { NewWebhookEndpoint, WebhookEndpointChange } from '../contract/webhookEndpoints.ts';
import { conflict, invalid, unknownId } from '../domain/failure.ts';
import { ENDPOINTS_MAX } from '../domain/webhookEndpoints.ts';
import { addressFault } from '../egress/addressFault.ts';
import type { Guard } from '../egress/guard.ts';
import type { Queryable } from '../store/database/database.ts';
import { endPendingDeliveries, redirectPendingDeliveries } from '../store/webhookEndpoints/endpointEvents.ts';
import {
  countEndpoints,
  type EndpointFields,
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  lockEndpoint,
  markEndpointDeleted,
  type OneEndpoint,
  rotateEndpointSecret,
  updateEndpoint,
} from '../store/webhookEndpoints/webhookEndpoints.ts';

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
): Promise<EndpointWithSecret> {
  const { id, secret } = await insertEndpoint(tx, organizationId, {
    url: body.url.trim(),
    topics: body.topics ?? null,
    description: body.description?.trim() ?? '',
    headers: body.headers ?? {},
    disabled: body.disabled ?? false,
  });
  if ((await countEndpoints(tx, organizationId)) > ENDPOINTS_MAX)
    throw conflict('url', `would be one more than ${ENDPOINTS_MAX} webhook endpoints: delete one first.`);
  return { row: await requireEndpoint(tx, { organizationId, id }), secret };
}

/** Pending deliveries end if the endpoint is disabled, and go to the new address if that changed. @throws Failure (404) */
export async function changeEndpoint(
  tx: Queryable,
  one: OneEndpoint,
  { url, topics, description, headers, disabled }: WebhookEndpointChange,
): Promise<EndpointRow> {
  const before = await lockedEndpoint(tx, one);
  const newUrl = url?.trim();
  const change: Partial<EndpointFields> = {
    ...(newUrl !== undefined && { url: newUrl }),
    ...(topics !== undefined && { topics }),
    ...(description !== undefined && { description: description?.trim() ?? '' }),
    ...(headers !== undefined && { headers: headers ?? {} }),
    ...(typeof disabled === 'boolean' && disabled !== (before.disabled_at !== null) && { disabled }),
  };
  await updateEndpoint(tx, one.id, change);
  if (change.disabled === true) await endPendingDeliveries(tx, one.id, 'The webhook endpoint was disabled.');
  if (newUrl !== undefined && newUrl !== before.url) await redirectPendingDeliveries(tx, one.id, newUrl);
  return requireEndpoint(tx, one);
}

/** Its pending deliveries end. @throws Failure (404) */
export async function deleteEndpoint(tx: Queryable, one: OneEndpoint): Promise<void> {
  await lockedEndpoint(tx, one);
  await markEndpointDeleted(tx, one.id);
  await endPendingDeliveries(tx, one.id, 'The webhook endpoint was deleted.');
}

/** @throws Failure (404) */
export async function replaceEndpointSecret(
  tx: Queryable,
  one: OneEndpoint,
  keepPrevious: boolean,
): Promise<EndpointWithSecret> {
  await lockedEndpoint(tx, one);
  const secret = await rotateEndpointSecret(tx, one.id, keepPrevious);
  return { row: await requireEndpoint(tx, one), secret };
}

/** @throws Failure (404) */
export async function requireEndpoint(db: Queryable, one: OneEndpoint): Promise<EndpointRow> {
  const row = await findEndpoint(db, one);
  if (row === undefined) throw unknownId();
  return row;
}

/** Also locks it, so that nobody disables it before the end of the transaction. @throws Failure: 404, and 409 if it is disabled. */
export async function requireEnabledEndpoint(tx: Queryable, one: OneEndpoint): Promise<EndpointRow> {
  const row = await lockedEndpoint(tx, one);
  if (row.disabled_at !== null) throw conflict('disabled', 'is true: enable the webhook endpoint first.');
  return row;
}

async function lockedEndpoint(tx: Queryable, one: OneEndpoint): Promise<EndpointRow> {
  if (!(await lockEndpoint(tx, one))) throw unknownId();
  return requireEndpoint(tx, one);
}
