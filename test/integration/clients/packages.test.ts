/** The packages of the clients that a release publishes. The quick start runs with them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { CLIENT_PACKAGE_MS, installTypeScriptClient, packClient, REPOSITORY } from '../../support/clientPackages.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const { version } = packageJson;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-clients-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODULES = ['call', 'caller', 'client', 'errors', 'generated/models', 'generated/operations', 'index', 'sleep'];

test('the npm package has the code, its types, the licence and links to the project', {
  timeout: CLIENT_PACKAGE_MS,
}, async () => {
  const [file = ''] = await packClient('npm', folder);
  expect(path.basename(file)).toBe(`tearsheet-client-${version}.tgz`);
  const names = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n').sort();
  const code = [...MODULES, 'webhook'].flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
  expect(names).toEqual(['LICENSE', 'README.md', 'package.json', ...code].map((name) => `package/${name}`).sort());
  const manifest: unknown = JSON.parse(
    execFileSync('tar', ['xzOf', file, 'package/package.json'], { encoding: 'utf8' }),
  );
  expect(manifest).toMatchObject({
    version,
    license: 'Apache-2.0',
    homepage: `${REPOSITORY}#readme`,
    bugs: { url: `${REPOSITORY}/issues` },
    repository: { url: `git+${REPOSITORY}.git`, directory: 'clients/typescript' },
    engines: { node: '>=20.3' },
  });
  expect(manifest).not.toHaveProperty('dependencies');
});

test.each(['nodenext', 'bundler'])(
  'the quick start compiles with the installed npm package and resolution %s',
  { timeout: CLIENT_PACKAGE_MS },
  async (resolution) => {
    const project = path.join(folder, resolution);
    mkdirSync(project);
    await installTypeScriptClient(project);
    const sample = /\n```ts\n(.*?)\n```\n/s.exec(readFileSync(path.join(ROOT, 'docs/quick-start.md'), 'utf8'))?.[1];
    writeFileSync(path.join(project, 'sample.ts'), sample ?? '');
    const [module, lib] = [resolution === 'nodenext' ? 'nodenext' : 'esnext', 'es2024,dom,dom.iterable'];
    const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules/@types')];
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'es2024',
      '--module',
      module,
      '--moduleResolution',
      resolution,
    ];
    const { stdout, status } = spawnSync(process.execPath, [TSC, ...options, '--lib', lib, ...types, 'sample.ts'], {
      ...{ cwd: project, encoding: 'utf8', timeout: CLIENT_PACKAGE_MS },
    });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  },
);

/** CI has Python. */
const hasPython = process.env['CI'] !== undefined || spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)(
  'the Python packages have the code, the mark of types, the licence and links to the project',
  { timeout: CLIENT_PACKAGE_MS },
  async () => {
    const [wheel = '', source = ''] = await packClient('pypi', folder);
    expect([wheel, source].map((file) => path.basename(file))).toEqual([
      `tearsheet_client-${version}-py3-none-any.whl`,
      `tearsheet_client-${version}.tar.gz`,
    ]);
    const target = path.join(folder, 'wheel');
    execFileSync('python3', ['-m', 'zipfile', '-e', wheel, target]);
    const info = path.join(target, `tearsheet_client-${version}.dist-info`);
    expect(existsSync(path.join(target, 'tearsheet_client/py.typed'))).toBe(true);
    expect(existsSync(path.join(info, 'licenses/LICENSE'))).toBe(true);
    const metadata = readFileSync(path.join(info, 'METADATA'), 'utf8');
    for (const line of [
      'License-Expression: Apache-2.0',
      'Requires-Python: >=3.9',
      `Project-URL: Repository, ${REPOSITORY}`,
    ])
      expect(metadata).toContain(`${line}\n`);
    expect(metadata).not.toContain('Requires-Dist');
    expect(metadata).toContain('\n# tearsheet-client\n');
  },
);
