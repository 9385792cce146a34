import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const ASK_MS = 20_000;

/** Asks the executable, which is ten times as quick as to start it. @returns for example `156.0.8078.73`. @throws Error in words. */
export async function browserVersion(chromiumPath: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(chromiumPath, ['--version'], { timeout: ASK_MS });
    const [version] = /\d+(\.\d+)+/.exec(stdout) ?? [];
    if (version !== undefined) return version;
    throw new Error(`it says ${JSON.stringify(stdout.slice(0, 200))}`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.trim().slice(0, 500) : String(cause);
    throw new Error(`${chromiumPath} does not tell its version, so it is no Chromium that runs here: ${why}`, {
      cause,
    });
  }
}
