import { type CallOptions, type Service, sleep } from './call.ts';
import * as operations from './generated/operations.ts';

type Operations = typeof operations;
type Operation = (organization: string, ...rest: never[]) => Promise<unknown>;
type Bound<T> = T extends (organization: string, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** Each operation of the API, without its first parameter, the organization. */
export type Client = {
  [Name in keyof Operations as Operations[Name] extends Operation ? Name : never]: Bound<Operations[Name]>;
};

/** @returns the operations for one organization of one service. */
export function createClient(service: Service): Client {
  const bind = (operation: (...args: never[]) => unknown) => {
    // The last parameter of an operation holds its options.
    const given = operation.length - 2;
    return (...args: unknown[]) =>
      Reflect.apply(operation, undefined, [
        service.organization,
        ...Array.from({ length: given }, (_, at) => args[at]),
        { ...Object(args[given]), service },
      ]);
  };
  const bound = Object.entries(operations).flatMap(([name, operation]) =>
    typeof operation === 'function' ? [[name, bind(operation)] as const] : [],
  );
  return Object.fromEntries(bound) as Client;
}

export interface WaitOptions extends Pick<CallOptions, 'signal'> {
  /** 15 minutes unless given. */
  deadlineMs?: number;
  /** The time between two reads. 2 s unless given. */
  intervalMs?: number;
}

/**
 * Waits until all pictures of a set are taken or failed. The set is then `approved`, `failed`, `canceled` or, where people
 * review, `in_review` or `rejected`. To be notified instead, use a webhook.
 */
export async function waitForScreenshotSet(
  client: Client,
  id: string,
  { deadlineMs = 15 * 60_000, intervalMs = 2_000, signal }: WaitOptions = {},
): Promise<operations.ScreenshotSet> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const set = await client.getScreenshotSet(id, signal ? { signal } : {});
    if (set.status !== 'draft' && set.status !== 'capturing') return set;
    if (Date.now() + intervalMs > end)
      throw new Error(`Set ${id} is still ${set.status} after ${deadlineMs / 1000} s. Its capture continues.`);
    await sleep(intervalMs, signal);
  }
}
