/** The packages of the clients, built as for a release and installed as users install them. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { needPip } from './pythonTools.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const STEP_MS = 10 * 60_000;
const run = promisify(execFile);

/** Longer than building and installing one package may take. */
export const CLIENT_PACKAGE_MS = 3 * STEP_MS;
/** The address of the project in the packages. */
export const REPOSITORY = 'https://github.com/acme/tearsheet';

/** @param out an empty folder for the packages. @returns their paths. */
export async function packClient(registry: 'npm' | 'pypi', out: string): Promise<string[]> {
  if (registry === 'pypi') await needPip();
  const script = path.join(ROOT, 'scripts/packClients.ts');
  const args = [script, registry, '--repository', REPOSITORY, '--out', out];
  const { stdout } = await run(process.execPath, args, { timeout: STEP_MS });
  return stdout.trim().split('\n');
}

/** Installs the TypeScript client into the project in `folder`. The registry is not asked, because it has no dependencies. */
export function installTypeScriptClient(folder: string): Promise<void> {
  return withPackages('npm', async ([file = '']) => {
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "private": true }');
    const quiet = ['--offline', '--no-audit', '--no-fund', '--cache', path.join(folder, '.npm')];
    await run('npm', ['install', ...quiet, file], { cwd: folder, timeout: STEP_MS });
  });
}

/** Installs the Python client. @returns the folder to set as PYTHONPATH. */
export async function installPythonClient(folder: string): Promise<string> {
  const installed = path.join(folder, 'python');
  await withPackages('pypi', async (files) => {
    const file = files.find((one) => one.endsWith('.whl')) ?? '';
    const quiet = ['--quiet', '--no-input', '--no-index', '--no-deps', '--disable-pip-version-check'];
    await run('python3', ['-m', 'pip', 'install', ...quiet, '--target', installed, file], { timeout: STEP_MS });
  });
  return installed;
}

async function withPackages(registry: 'npm' | 'pypi', use: (files: string[]) => Promise<void>): Promise<void> {
  const out = mkdtempSync(path.join(tmpdir(), 'tearsheet-packages-'));
  try {
    await use(await packClient(registry, out));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
