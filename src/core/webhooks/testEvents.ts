/** Test events: a person sends one to an address to see whether the receiver accepts and verifies it. */
import type { Queryable } from '../../db/database.ts';
import type { ObjectRef } from '../../db/rows.ts';
import { type Actor, addressWithoutSecrets } from '../../domain/auditLog.ts';
import { TEST_TOPIC } from '../../domain/topics.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { insertEvent } from '../journal/insertEvent.ts';
import { insertTestSubscriber } from '../journal/subscriberRows.ts';
import { requireEnabledEndpoint } from './webhookEndpoints.ts';

/** Stores a test event for an address, with a delivery of one attempt. @returns the id of the delivery. */
export async function sendTestEvent(
  transaction: Queryable,
  { organizationId, url }: { organizationId: string; url: string },
  actor: Actor,
): Promise<string> {
  const subscriberId = await insertTestSubscriber(transaction, organizationId, url);
  const to = { url: addressWithoutSecrets(url) };
  await recordAction(transaction, actor, { action: 'webhook.tested', of: { organizationId, id: null }, to });
  return storeTestEvent(transaction, { organizationId, subscriberId, url });
}

/** As {@link sendTestEvent}, to a webhook endpoint. @throws Failure: 404, and 409 if the endpoint is disabled. */
export async function sendTestEventToEndpoint(transaction: Queryable, one: ObjectRef, actor: Actor): Promise<string> {
  const { url } = await requireEnabledEndpoint(transaction, one);
  const { organizationId, id } = one;
  await recordAction(transaction, actor, { action: 'webhook_endpoint.tested', of: one });
  return storeTestEvent(transaction, { organizationId, subscriberId: id, url });
}

const TEST = { type: 'test', message: 'A person sent this event to try the webhook. Nothing happened.' };

async function storeTestEvent(
  transaction: Queryable,
  { organizationId, subscriberId, url }: { organizationId: string; subscriberId: string; url: string },
): Promise<string> {
  const delivery = { subscriber_id: subscriberId, channel: 'webhook', target: url } as const;
  const event = { organizationId, topic: TEST_TOPIC } as const;
  const [id = ''] = await insertEvent(transaction, event, JSON.stringify(TEST), [delivery]);
  return id;
}
