/** Builds the packages of the clients from copies, to which it adds the address of the repository. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';

interface PackOptions {
  /** The folder of this repository. */
  readonly root: string;
  /** Without a slash at the end, for example https://github.com/OWNER/NAME. */
  readonly repository: string;
  /** An empty folder for the packages. */
  readonly out: string;
}

const STEP_MS = 5 * 60_000;
const SOURCE = /^(?!(dist|build|tests|__pycache__|.*\.egg-info)$)/;

/** Runs `npm pack`. @returns the names of the files. */
export function packNpm(options: PackOptions): string[] {
  const { root, repository, out } = options;
  return withCopy(options, 'clients/typescript', (copy) => {
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const project = path.join(root, 'clients/typescript');
    run(process.execPath, [tsc, '-p', project, '--outDir', path.join(copy, 'dist')], root);
    const file = path.join(copy, 'package.json');
    const manifest = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')));
    const links = {
      homepage: `${repository}#readme`,
      bugs: { url: `${repository}/issues` },
      repository: { type: 'git', url: `git+${repository}.git`, directory: 'clients/typescript' },
    };
    writeFileSync(file, `${JSON.stringify({ ...manifest, ...links }, null, 2)}\n`);
    // The copy is compiled already.
    run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', out], copy);
  });
}

/** Builds a wheel from a source distribution. Needs Python and pip. @returns the names of the files. */
export function packPyPi(options: PackOptions): string[] {
  const { root, repository, out } = options;
  const tools = pythonTools(root);
  return withCopy(options, 'clients/python', (copy) => {
    const file = path.join(copy, 'pyproject.toml');
    const urls = {
      Repository: repository,
      Issues: `${repository}/issues`,
      Changelog: `${repository}/blob/main/CHANGELOG.md`,
    };
    const lines = Object.entries(urls).map(([name, url]) => `${name} = "${url}"\n`);
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n[project.urls]\n${lines.join('')}`);
    const python = ['--no-build-isolation', '--python', 'python3', '--no-config', '--offline'];
    run(path.join(tools, 'bin/uv'), ['build', '--quiet', ...python, '--out-dir', out, copy], copy, {
      PYTHONPATH: tools,
    });
    rmSync(path.join(out, '.gitignore'), { force: true });
  });
}

function withCopy({ root, out }: PackOptions, folder: string, build: (copy: string) => void): string[] {
  const copy = mkdtempSync(path.join(tmpdir(), 'tearsheet-pack-'));
  try {
    cpSync(path.join(root, folder), copy, { recursive: true, filter: (file) => SOURCE.test(path.basename(file)) });
    build(copy);
    return readdirSync(out).sort();
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Installs the programs of requirements.txt once for each version of that file. @returns their folder. */
function pythonTools(root: string): string {
  const requirements = path.join(import.meta.dirname, 'requirements.txt');
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const folder = path.join(root, `.cache/python/pack-${digest}`);
  if (existsSync(folder)) return folder;
  const part = `${folder}.${process.pid}`;
  const exact = ['--require-hashes', '--no-deps', '--only-binary', ':all:'];
  const args = ['-m', 'pip', 'install', '--quiet', '--no-input', ...exact, '--target', part, '-r', requirements];
  try {
    run('python3', args, root);
    renameSync(part, folder);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    // Another process may have installed them at the same time.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): void {
  execFileSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    timeout: STEP_MS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
