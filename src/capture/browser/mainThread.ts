import { CdpError, type CdpSession, CdpTimeoutError } from './cdp.ts';

const PROBE_TIMEOUT_MS = 2_000;

/** True when the page's main thread answers; false when a script holds it. */
export async function isResponsive(session: CdpSession, timeoutMs = PROBE_TIMEOUT_MS): Promise<boolean> {
  try {
    await session.send('Runtime.evaluate', { expression: '1' }, timeoutMs);
    return true;
  } catch (error) {
    // Between two documents there is no context to answer; the thread itself is free.
    if (error instanceof CdpError) return true;
    if (error instanceof CdpTimeoutError) return false;
    throw error;
  }
}

/** Ends the script that runs now; later ones run as before. */
export async function terminateScript(session: CdpSession): Promise<void> {
  try {
    await session.send('Runtime.terminateExecution', undefined, PROBE_TIMEOUT_MS);
  } catch (error) {
    // An end that comes too late or finds nothing is seen by the next probe.
    if (!(error instanceof CdpError || error instanceof CdpTimeoutError)) throw error;
  }
}
