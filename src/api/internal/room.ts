/** Room for the bytes of pictures that pass through this process: so much for each sender or receiver, so much for all together. */
import { OverloadedError } from './authority.ts';

export interface RoomBounds {
  /** Of one address at the same time. */
  readonly each: number;
  readonly together: number;
}

export interface Room {
  /** @param bytes less than nothing gives back. @throws OverloadedError, with the room taken all the same */
  take(address: string, bytes: number): void;
}

export function createRoom({ each, together }: RoomBounds): Room {
  const held = new Map<string, number>();
  let all = 0;
  return {
    take(address, bytes) {
      all += bytes;
      const ofOne = (held.get(address) ?? 0) + bytes;
      if (ofOne === 0) held.delete(address);
      else held.set(address, ofOne);
      if (bytes > 0 && (all > together || ofOne > each))
        throw new OverloadedError('Too much is under way at this moment.');
    },
  };
}
