import type { Change } from '../../db/notifications.ts';
import type { Row } from '../../db/rows.ts';

export type OneDelivery = Pick<Row<'deliveries'>, 'id' | 'set_id' | 'ad_id'>;

/** Tells the pages of the delivery, and of its set or ad, that it changed. */
export const deliveryChange = ({ id, set_id, ad_id }: OneDelivery): Change => ({
  delivery: id,
  ...(set_id !== null && { set: set_id }),
  ...(ad_id !== null && { ad: ad_id }),
});
