/** Calls the public API again and again and measures the longest time without an answer. */
import { sleep } from '../../src/lib/sleep.ts';
import { sendOnce } from './load/client.ts';

const EVERY_MS = 250;

export interface OutageProbe {
  /** Ends the probe. @returns the longest time without an answer, in seconds. */
  stop(): Promise<number>;
}

export function startOutageProbe(client: { readonly url: string; readonly apiKey: string }): OutageProbe {
  const over = new AbortController();
  let longestMs = 0;
  const probe = async () => {
    let lastAnswer = performance.now();
    while (!over.signal.aborted) {
      const answer = await sendOnce({ method: 'GET', path: '/campaigns?per_page=1' }, client).catch(() => undefined);
      const now = performance.now();
      longestMs = Math.max(longestMs, now - lastAnswer - EVERY_MS);
      if (answer !== undefined && answer.status < 500) lastAnswer = now;
      await sleep(EVERY_MS, over.signal).catch(() => undefined);
    }
  };
  const probing = probe();
  return {
    stop: async () => {
      over.abort();
      await probing;
      return longestMs / 1_000;
    },
  };
}
