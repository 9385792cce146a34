/** Bounds the memory of large events. The event of a set with many pictures has several megabytes. */
import { ConcurrencyLimit } from '../lib/concurrencyLimit.ts';
import type { Queryable } from '../store/database/database.ts';
import { type DeliveryToSend, readEventBody } from '../store/deliveries/deliveryToSend.ts';

/** Large bodies in memory at the same time. Each organization has one of them at most. */
const AT_ONCE = 8;

export class LargeBodies {
  readonly #db: Queryable;
  readonly #all = new ConcurrencyLimit(AT_ONCE);
  readonly #ofOrganizations = new Map<string, { readonly limit: ConcurrencyLimit; users: number }>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Calls `work` with the body of the event. A large one is read when it is its turn. */
  async use<T>(delivery: DeliveryToSend, work: (body: string) => Promise<T>): Promise<T> {
    const { body, event_id, organization_id: organization } = delivery;
    if (body !== null) return work(body);
    const own = this.#ofOrganizations.get(organization) ?? { limit: new ConcurrencyLimit(1), users: 0 };
    this.#ofOrganizations.set(organization, own);
    own.users += 1;
    try {
      return await own.limit.run(() => this.#all.run(async () => work(await readEventBody(this.#db, event_id))));
    } finally {
      own.users -= 1;
      if (own.users === 0) this.#ofOrganizations.delete(organization);
    }
  }
}
