/** Chromium's own sandbox around each of its renderers. The container or gVisor around the capture is separate. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** `auto`: use it if the system allows it. `required`: start no browser without it. */
export type SandboxMode = 'auto' | 'required' | 'off';

/** Creates the namespaces that the sandbox needs, in the same way. */
const PROBE = ['--user', '--map-root-user', '--pid', '--net', '--fork', 'true'];
const PROBE_MS = 5_000;

/** @returns whether browsers start with the sandbox. @throws Error if it is required but not available. */
export async function decideSandbox(
  mode: SandboxMode,
  probe: () => Promise<boolean> = isSandboxAvailable,
): Promise<boolean> {
  if (mode === 'off') return false;
  const possible = await probe();
  if (possible || mode === 'auto') return possible;
  throw new Error(
    'CHROMIUM_SANDBOX requires Chromium’s sandbox, but it is not available. It needs a user other than root, and a kernel and seccomp profile that allow user namespaces.',
  );
}

async function isSandboxAvailable(): Promise<boolean> {
  if (process.getuid?.() === 0) return false;
  if (process.platform !== 'linux') return true;
  try {
    await promisify(execFile)('unshare', PROBE, { timeout: PROBE_MS });
    return true;
  } catch (error) {
    // Without the program unshare nothing is known. A browser that needs the sandbox reports its absence.
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
