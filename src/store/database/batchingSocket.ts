import { Socket } from 'node:net';

type Written = (error?: Error | null) => void;

/** A socket that sends what is written in one tick in one piece: a write to the system costs as much as a small statement. */
export class BatchingSocket extends Socket {
  #gathering = false;

  override write(chunk: Uint8Array | string, encoding?: BufferEncoding | Written, written?: Written): boolean {
    this.#gather();
    return typeof encoding === 'string' ? super.write(chunk, encoding, written) : super.write(chunk, encoding);
  }

  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.cork();
    process.nextTick(() => {
      this.#gathering = false;
      this.uncork();
    });
  }
}
