/** Bits as deflate writes them: each byte is filled from its lowest bit on. */
import type { Code } from './huffman.ts';

/** What has been written: whole pairs of bytes, and up to 15 bits more. */
export interface WrittenBits {
  readonly pairs: Uint16Array;
  readonly rest: number;
  readonly restLength: number;
}

export class BitWriter {
  /** Pairs of bytes, the lower one first, as the processors that browsers run on keep them. */
  #pairs: Uint16Array;
  #written = 0;
  #rest = 0;
  #restLength = 0;

  /** @param pairs that are expected; more find room too. */
  constructor(pairs: number) {
    this.#pairs = new Uint16Array(pairs);
  }

  /** @param length at most 16. */
  put(bits: number, length: number): void {
    this.#rest |= bits << this.#restLength;
    this.#restLength += length;
    if (this.#restLength < 16) return;
    this.#reserve(1);
    this.#pairs[this.#written++] = this.#rest;
    this.#rest >>>= 16;
    this.#restLength -= 16;
  }

  /** The codes of bytes. Plain variables hold what is being filled: this is where the time of an ad goes. */
  putCoded(bytes: Uint8Array, { packed }: Code): void {
    this.#reserve(bytes.length);
    const out = this.#pairs;
    let written = this.#written;
    let rest = this.#rest;
    let restLength = this.#restLength;
    for (let at = 0; at < bytes.length; at++) {
      const code = packed[bytes[at] ?? 0] ?? 0;
      rest |= (code >> 4) << restLength;
      restLength += code & 15;
      if (restLength < 16) continue;
      out[written++] = rest;
      rest >>>= 16;
      restLength -= 16;
    }
    this.#written = written;
    this.#rest = rest;
    this.#restLength = restLength;
  }

  /** Room for so many more pairs. */
  #reserve(pairs: number): void {
    if (this.#written + pairs <= this.#pairs.length) return;
    const larger = new Uint16Array(2 * (this.#written + pairs));
    larger.set(this.#pairs.subarray(0, this.#written));
    this.#pairs = larger;
  }

  append({ pairs, rest, restLength }: WrittenBits): void {
    this.#reserve(pairs.length + 1);
    const out = this.#pairs;
    const shift = this.#restLength;
    let to = this.#written;
    let carry = this.#rest;
    for (let from = 0; from < pairs.length; from++) {
      carry |= (pairs[from] ?? 0) << shift;
      out[to++] = carry;
      carry >>>= 16;
    }
    this.#written = to;
    this.#rest = carry;
    this.put(rest, restLength);
  }

  /** Up to the next whole byte. */
  align(): void {
    this.put(0, -this.#restLength & 7);
  }

  /** What was written since the last call of this. */
  take(): WrittenBits {
    const taken = { pairs: this.#pairs.slice(0, this.#written), rest: this.#rest, restLength: this.#restLength };
    [this.#written, this.#rest, this.#restLength] = [0, 0, 0];
    return taken;
  }

  /** All of it, after {@link align}. */
  bytes(): Buffer {
    const whole = Buffer.from(this.#pairs.buffer, 0, 2 * this.#written);
    return this.#restLength === 0 ? Buffer.from(whole) : Buffer.concat([whole, Buffer.from([this.#rest])]);
  }
}
