/** Those who get an event: the subscribers of an ad or a set, and the webhook endpoints of an organization. */
import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';

/** The subscribers of an ad or of a set, in the order of the request. */
export async function readSubscribers(
  db: Queryable,
  { adId, setId }: { readonly adId?: string; readonly setId?: string },
): Promise<Row<'subscribers'>[]> {
  return db
    .selectFrom('subscribers')
    .selectAll()
    .$if(adId !== undefined, (q) => q.where('ad_id', '=', adId ?? ''))
    .$if(setId !== undefined, (q) => q.where('set_id', '=', setId ?? ''))
    .orderBy('seq')
    .execute();
}

/**
 * The enabled endpoints of an organization. The lock makes a transaction that disables or deletes one wait for the
 * deliveries of this transaction, so that it ends these too.
 */
export async function readEnabledEndpoints(
  db: Queryable,
  organizationId: string,
): Promise<Pick<Row<'subscribers'>, 'id' | 'webhook_url' | 'webhook_topics'>[]> {
  return db
    .selectFrom('webhook_endpoints as e')
    .innerJoin('subscribers as s', 's.id', 'e.id')
    .select(['s.id', 's.webhook_url', 's.webhook_topics'])
    .where('e.organization_id', '=', organizationId)
    .where('e.deleted_at', 'is', null)
    .where('e.disabled_at', 'is', null)
    .orderBy('e.created_at')
    .forKeyShare('e')
    .execute();
}
