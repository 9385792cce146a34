import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorMessage } from '../../lib/errorMessage.ts';

const TIMEOUT_MS = 20_000;

/**
 * Runs the executable with `--version`, which takes a tenth of the time of a browser start.
 * @returns for example `156.0.8078.73`.
 * @throws Error that tells a slow machine from an executable that is not Chromium.
 */
export async function browserVersion(chromiumPath: string, timeoutMs = TIMEOUT_MS): Promise<string> {
  const printed = await printedVersion(chromiumPath, timeoutMs);
  const [version] = /\d+(\.\d+)+/.exec(printed) ?? [];
  if (version !== undefined) return version;
  throw new Error(
    `${chromiumPath} is not a Chromium: with --version it printed ${JSON.stringify(printed.slice(0, 200))}.`,
  );
}

async function printedVersion(chromiumPath: string, timeoutMs: number): Promise<string> {
  try {
    return (await promisify(execFile)(chromiumPath, ['--version'], { timeout: timeoutMs })).stdout;
  } catch (cause) {
    // Only our timeout makes Node kill the process.
    if (cause instanceof Error && 'killed' in cause && cause.killed === true) {
      throw new Error(
        `${chromiumPath} did not print its version within ${timeoutMs / 1000} s. The machine may be overloaded.`,
        { cause },
      );
    }
    const reason = errorMessage(cause).trim().slice(0, 500);
    throw new Error(`${chromiumPath} could not print its version, so it is not a working Chromium: ${reason}`, {
      cause,
    });
  }
}
