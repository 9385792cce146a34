/** Handlers for the webhook secret and for test events. */
import { type NewWebhookSecretRecord, SecretRotation, WebhookTest } from '../../../contract/webhooks.ts';
import { readWebhookSecret } from '../../../core/organizations/organizations.ts';
import { replaceWebhookSecret } from '../../../core/organizations/settings.ts';
import { webhookSecretRecord } from '../../../core/organizations/settingsJson.ts';
import { deliveryRecord } from '../../../core/sets/setJson.ts';
import { findDelivery } from '../../../core/webhooks/listDeliveries.ts';
import { sendTestEvent } from '../../../core/webhooks/testEvents.ts';
import { invalid, unknownId } from '../../../domain/failure.ts';
import { addressFault } from '../../../egress/addressFault.ts';
import { type Handler, jsonResponse, readOrFail } from '../endpoint.ts';
import { readJson, readOptionalJson } from '../jsonBody.ts';
import type { PublicApiOptions, RouteOptions } from '../options.ts';

export function webhookSecret({ store }: PublicApiOptions): Handler {
  return async ({ place }) => jsonResponse(200, webhookSecretRecord(await readWebhookSecret(store.db, place.slug)));
}

/** POST …/webhook_secret/rotate: responds with the new secret. It takes no idempotency key, because the response would be stored. */
export function rotateSecret({ store }: PublicApiOptions): Handler {
  return async ({ request, actor, place }) => {
    const { value } = await readOptionalJson(request);
    const { keep_previous: keep } = readOrFail(SecretRotation, value);
    return store.db.transaction().execute(async (tx) => {
      const secret = await replaceWebhookSecret(tx, place.slug, keep ?? true, actor);
      const record = webhookSecretRecord(await readWebhookSecret(tx, place.slug));
      return jsonResponse(200, { ...record, secret } satisfies NewWebhookSecretRecord);
    });
  };
}

/** POST …/webhook_tests: 202 with the delivery of the test event. */
export function testWebhook({ store, guard }: RouteOptions): Handler {
  return async ({ request, organizationId, actor }) => {
    const { value } = await readJson(request);
    const url = readOrFail(WebhookTest, value).url.trim();
    const fault = await addressFault(guard, url);
    if (fault !== undefined) throw invalid({ url: [fault] });
    return store.db.transaction().execute(async (tx) => {
      const id = await sendTestEvent(tx, { organizationId, url }, actor);
      const row = await findDelivery(tx, { organizationId, id });
      if (row === undefined) throw unknownId();
      return jsonResponse(202, deliveryRecord(row));
    });
  };
}
