/** Calls the public API again and again and measures the longest time without an answer. */
import { errorMessage } from '../../src/lib/errorMessage.ts';
import { sleep } from '../../src/lib/sleep.ts';
import type { Ledger } from './ledger.ts';
import { sendOnce } from './load/client.ts';

const EVERY_MS = 250;
/** A longer time is noted in the ledger. */
const NOTED_MS = 5_000;

export interface OutageProbe {
  /** Ends the probe. @returns the longest time without an answer, in seconds. */
  stop(): Promise<number>;
}

export function startOutageProbe(
  client: { readonly url: string; readonly apiKey: string },
  ledger: Ledger,
): OutageProbe {
  const over = new AbortController();
  let longestMs = 0;
  const probe = async () => {
    let lastAnswer = performance.now();
    const reasons = new Map<string, number>();
    while (!over.signal.aborted) {
      const fault = await faultOf(client);
      const now = performance.now();
      const outageMs = now - lastAnswer - EVERY_MS;
      longestMs = Math.max(longestMs, outageMs);
      if (fault !== undefined) reasons.set(fault, (reasons.get(fault) ?? 0) + 1);
      else {
        if (outageMs > NOTED_MS) ledger.add({ kind: 'note', text: describe(outageMs, reasons) });
        lastAnswer = now;
        reasons.clear();
      }
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

/** @returns why there was no answer; undefined if there was one. */
async function faultOf(client: { readonly url: string; readonly apiKey: string }): Promise<string | undefined> {
  try {
    const { status, text } = await sendOnce({ method: 'GET', path: '/campaigns?per_page=1' }, client);
    return status < 500 ? undefined : `${status} ${text.slice(0, 80)}`;
  } catch (error) {
    const { cause } = error as Error;
    return errorMessage(cause ?? error);
  }
}

const describe = (outageMs: number, reasons: ReadonlyMap<string, number>) =>
  `no answer for ${(outageMs / 1_000).toFixed(1)} s: ${[...reasons].map(([reason, times]) => `${times} times ${reason}`).join('; ')}`;
