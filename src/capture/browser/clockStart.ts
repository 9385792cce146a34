import type { CdpSession } from './cdp.ts';

/**
 * Runs in a new document, before its own scripts. In virtual time no time passes between the creation of some documents and
 * their first script, for example in an iframe that a script writes. In real time some does. Libraries take 0 for a missing
 * clock, and CreateJS then draws nothing.
 */
function startClockAboveZero() {
  const smallest = 0.1;
  if (performance.now() >= smallest) return;
  Performance.prototype.now = new Proxy(Performance.prototype.now, {
    apply: (now, clock, values) => Math.max(Reflect.apply(now, clock, values), smallest),
  });
}

/** Lets `performance.now()` start at the smallest time that a browser reports, in each further document of a page. */
export async function startClocksAboveZero(session: CdpSession): Promise<void> {
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${startClockAboveZero})()` });
}
