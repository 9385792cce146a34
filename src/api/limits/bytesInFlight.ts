/** Bytes of pictures that pass through this process at this moment: so much for each sender or receiver, so much for all together. */

import { KeyedSum } from '../../lib/keyedSum.ts';
import { OverloadedError } from '../auth/captureAuth.ts';

export interface BytesInFlightOptions {
  /** Of one address at the same time. */
  readonly each: number;
  readonly together: number;
}

export interface BytesInFlight {
  /** @param bytes less than nothing takes away. @throws OverloadedError where it is too much; it counts all the same */
  add(address: string, bytes: number): void;
}

export function createBytesInFlight({ each, together }: BytesInFlightOptions): BytesInFlight {
  const held = new KeyedSum();
  let all = 0;
  return {
    add(address, bytes) {
      all += bytes;
      const ofOne = held.add(address, bytes);
      if (bytes > 0 && (all > together || ofOne > each))
        throw new OverloadedError('Too much is under way at this moment.');
    },
  };
}
