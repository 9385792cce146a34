import type { Kysely } from 'kysely';

/** Payloads of the queues. They hold ids only; the tables of Tearsheet hold the data. */
export interface Payloads {
  /** Admission: a set or an ad of this organization waits for a job. */
  launch: { readonly organization_id: string };
  /** Build the file of one export. */
  export: { readonly export_id: string };
  /** Remove the file of one export when it has expired. */
  /** Pending deliveries must follow a webhook endpoint that was disabled, deleted or given another address. */
  update_deliveries: { readonly endpoint_id: string };
  /** The connector waits for its check. Entries of earlier versions have no name, and mean the default one. */
  check_connector: { readonly organization_id: string; readonly name?: string };
}

export type QueueName = keyof Payloads;

export interface EnqueueOptions {
  readonly startAfter?: Date;
  readonly group?: string;
}

/** Enqueues inside the caller's transaction, so that the entry exists exactly if the transaction commits. */
export interface Enqueuer {
  enqueue<N extends QueueName>(
    // biome-ignore lint/suspicious/noExplicitAny: any schema will do, the queue only runs its own SQL on it.
    transaction: Kysely<any>,
    name: N,
    payload: Payloads[N],
    options?: EnqueueOptions,
  ): Promise<void>;
}
