import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ListText } from './compile.ts';

/** The compiled program has `.js` files. */
const WORKER = new URL(`./compileWorker${path.extname(import.meta.url)}`, import.meta.url);

/** Compiles in a thread, because a process that is busy for a second renews no Lease and answers no call. @returns the packed bundle. */
export async function compileInWorker(lists: readonly ListText[]): Promise<Buffer> {
  const worker = new Worker(WORKER, { workerData: lists });
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      worker.once('message', (bytes: Uint8Array) => resolve(Buffer.from(bytes)));
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`The thread that compiles filter lists ended with ${code}.`)));
    });
  } finally {
    await worker.terminate();
  }
}
