/**
 * Generates the clients and builds their packages: `node scripts/packClients.ts [npm|pypi…]`.
 *
 * --repository is the address of this project's pages, to which the registries link.
 * --out is the folder for the packages, .cache/clients unless given. It is emptied first.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { generate } from 'orval';
import { buildOpenApi } from '../src/api/public/openApi.ts';

const ROOT = path.join(import.meta.dirname, '..');
const STEP_MS = 5 * 60_000;
const PACKERS = { npm: packNpm, pypi: packPyPi };

/** The parts of the OpenAPI document that are changed for the generators. */
interface Operation {
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, unknown>;
}
interface Document {
  readonly paths: Readonly<Record<string, Record<string, Operation>>>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { repository: { type: 'string' }, out: { type: 'string' } },
});
const { repository = '', out = path.join(ROOT, '.cache/clients') } = values;
if (!/^https:\/\/[^/]+\/.+[^/]$/.test(repository))
  throw new Error('Name the pages of the project: --repository https://github.com/OWNER/NAME');
for (const registry of positionals.length === 0 ? Object.keys(PACKERS) : positionals) {
  const pack = Object.entries(PACKERS).find(([name]) => name === registry)?.[1];
  if (pack === undefined) throw new Error(`There is no client for "${registry}". Name npm or pypi.`);
  const packages = path.resolve(out, registry);
  rmSync(packages, { recursive: true, force: true });
  mkdirSync(packages, { recursive: true });
  const copy = mkdtempSync(path.join(tmpdir(), 'tearsheet-pack-'));
  try {
    const document = path.join(copy, 'openapi.json');
    writeFileSync(document, JSON.stringify(documentForClients()));
    await pack(document, path.join(copy, registry), packages);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  console.log(`packed: ${readdirSync(packages).join(', ')} in ${packages}`);
}

/**
 * The document as the clients need it: calls return only what a success returns, because the clients throw failures, and
 * files are bytes without a type. An operation that redirects is a link and not a call.
 */
function documentForClients(): object {
  const document = structuredClone(buildOpenApi()) as Document;
  for (const methods of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { responses, requestBody } = operation;
      if (responses['302'] !== undefined) delete methods[method];
      const success = Object.keys(responses).find((status) => /^2\d\d$/.test(status)) ?? 'default';
      operation.responses = { default: responses[success] };
      if (requestBody !== undefined && !('application/json' in requestBody.content))
        requestBody.content = { 'application/octet-stream': Object.values(requestBody.content)[0] };
    }
  }
  return document;
}

/** Writes clients/typescript/src/generated and dist, and runs `npm pack`. */
async function packNpm(document: string, copy: string, packages: string): Promise<void> {
  const source = path.join(ROOT, 'clients/typescript');
  const config = {
    input: { target: document },
    output: {
      target: path.join(source, 'src/generated/operations.ts'),
      client: 'fetch' as const,
      tsconfig: path.join(source, 'tsconfig.json'),
      urlEncodeParameters: true,
      override: {
        mutator: { path: path.join(source, 'src/call.ts'), name: 'call' },
        fetch: { includeHttpResponseReturnType: false },
      },
    },
  };
  await generate(config, source);
  rmSync(path.join(source, 'dist'), { recursive: true, force: true });
  run(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', source]);
  cpSync(source, copy, { recursive: true });
  const file = path.join(copy, 'package.json');
  const links = {
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
    repository: { type: 'git', url: `git+${repository}.git`, directory: 'clients/typescript' },
  };
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...links }, undefined, 2));
  run('npm', ['pack', '--silent', '--pack-destination', packages], { cwd: copy });
}

/** Builds a wheel from a source distribution. Needs Python 3.11 and pip. */
function packPyPi(document: string, copy: string, packages: string): void {
  const tools = pythonTools();
  const source = path.join(ROOT, 'clients/python');
  const env = { PYTHONPATH: tools };
  const output = ['--meta', 'none', '--output-path', path.join(copy, 'tearsheet_client')];
  const config = ['--config', path.join(source, 'generator.yaml')];
  mkdirSync(copy, { recursive: true });
  run(path.join(tools, 'bin/openapi-python-client'), ['generate', '--path', document, ...config, ...output], { env });
  // Our files replace generated ones of the same name.
  cpSync(source, copy, { recursive: true });
  const urls = {
    Repository: repository,
    Issues: `${repository}/issues`,
    Changelog: `${repository}/blob/main/CHANGELOG.md`,
  };
  const lines = Object.entries(urls).map(([name, url]) => `${name} = "${url}"\n`);
  const project = readFileSync(path.join(source, 'pyproject.toml'), 'utf8');
  writeFileSync(path.join(copy, 'pyproject.toml'), `${project}\n[project.urls]\n${lines.join('')}`);
  const build = ['build', '--quiet', '--no-build-isolation', '--python', 'python3', '--no-config', '--offline'];
  run(path.join(tools, 'bin/uv'), [...build, '--out-dir', packages, copy], { cwd: copy, env });
  rmSync(path.join(packages, '.gitignore'), { force: true });
}

/** Installs the programs of requirements.txt once for each version of that file. @returns their folder. */
function pythonTools(): string {
  const requirements = path.join(import.meta.dirname, 'clients/requirements.txt');
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const folder = path.join(ROOT, `.cache/python/pack-${digest}`);
  if (existsSync(folder)) return folder;
  const exact = ['--require-hashes', '--no-deps', '--only-binary', ':all:'];
  const install = ['-m', 'pip', 'install', '--quiet', '--no-input', ...exact, '-r', requirements];
  // A failed installation must not look complete.
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  run('python3', [...install, '--target', part]);
  renameSync(part, folder);
  return folder;
}

function run(program: string, args: readonly string[], { cwd = ROOT, env = {} } = {}): void {
  execFileSync(program, args, { cwd, env: { ...process.env, ...env }, timeout: STEP_MS, stdio: ['ignore', 2, 2] });
}
