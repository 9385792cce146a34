/** Chromium's own sandbox, around each of its renderers; what holds the capture as a whole (a container, gVisor) is not its concern. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** `auto`: where the system lets it; `required`: or no browser starts. */
export type SandboxMode = 'auto' | 'required' | 'off';

/** The namespaces that the sandbox is made of, asked for as it asks for them. */
const PROBE = ['--user', '--map-root-user', '--pid', '--net', '--fork', 'true'];
const PROBE_MS = 5_000;

/** @returns whether browsers are to be started with it. @throws Error where it is required and cannot be had. */
export async function decideSandbox(
  wish: SandboxMode,
  probe: () => Promise<boolean> = isSandboxAvailable,
): Promise<boolean> {
  if (wish === 'off') return false;
  const possible = await probe();
  if (possible || wish === 'auto') return possible;
  throw new Error(
    'Chromium’s sandbox is required (CHROMIUM_SANDBOX) and cannot be had: it needs another account than root, and a seccomp profile and kernel that let it make user namespaces.',
  );
}

async function isSandboxAvailable(): Promise<boolean> {
  if (process.getuid?.() === 0) return false;
  if (process.platform !== 'linux') return true;
  try {
    await promisify(execFile)('unshare', PROBE, { timeout: PROBE_MS });
    return true;
  } catch (error) {
    // Nothing to ask with says nothing; a browser that cannot have it says so itself.
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
