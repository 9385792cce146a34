/** Programs in Python that tests run, installed once from test/python/requirements.txt. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.join(import.meta.dirname, '../..');
const REQUIREMENTS = path.join(ROOT, 'test/python/requirements.txt');
const INSTALL_MS = 10 * 60_000;
const APT_MS = 5 * 60_000;
const run = promisify(execFile);

/** Longer than an installation may take. */
export const PYTHON_TOOLS_MS = INSTALL_MS + 2 * APT_MS + 60_000;

/**
 * @returns the folder to set as PYTHONPATH. Without Python 3.11, pip or the registry, it calls `skip` with the reason, or
 * throws in CI.
 */
export async function pythonTools(skip: (reason: string) => void): Promise<string> {
  try {
    return await installed();
  } catch (error) {
    const reason = `The programs of test/python/requirements.txt could not be installed: ${error instanceof Error ? error.message : String(error)}`;
    if (process.env['CI'] !== 'true') {
      console.log(`Skipped: ${reason}`);
      skip(reason);
    }
    throw new Error(reason);
  }
}

async function installed(): Promise<string> {
  const { stdout: version } = await run('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  const digest = createHash('sha256').update(await readFile(REQUIREMENTS));
  const folder = path.join(ROOT, '.cache/python', `${version.trim()}-${digest.digest('hex').slice(0, 16)}`);
  if (!existsSync(folder)) await install(folder);
  return folder;
}

/** Installs pip if it is missing: Debian's Python has none, and the containers of CI run as root. */
async function needPip(): Promise<void> {
  const hasPip = await run('python3', ['-m', 'pip', '--version']).catch(() => undefined);
  if (hasPip !== undefined) return;
  if (process.getuid?.() !== 0)
    throw new Error('pip is missing. Install it, for example with apt-get install python3-pip.');
  const apt = ['-o', 'DPkg::Lock::Timeout=120'];
  await run('apt-get', [...apt, 'update'], { timeout: APT_MS });
  await run('apt-get', [...apt, 'install', '--yes', '--no-install-recommends', 'python3-pip'], { timeout: APT_MS });
}

/** Two test files may install at the same time: the first one to end wins. */
async function install(folder: string): Promise<void> {
  const part = `${folder}.${process.pid}`;
  await mkdir(part, { recursive: true });
  await needPip();
  const exact = ['--require-hashes', '--no-deps', '--only-binary', ':all:'];
  const args = ['-m', 'pip', 'install', '--quiet', '--no-input', ...exact, '--target', part, '-r', REQUIREMENTS];
  try {
    await run('python3', args, { timeout: INSTALL_MS });
    await rename(part, folder);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
