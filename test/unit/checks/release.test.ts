import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../../scripts/release.sh', import.meta.url));
const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-22\n\n### Added\n\n- A thing.\n';

let root: string;
/** A repository that can be released as 1.2.3. */
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'tearsheet-release-'));
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  write('package.json', '{ "version": "1.2.3" }');
  write('package-lock.json', '{ "version": "1.2.3" }');
  write('charts/tearsheet/Chart.yaml', 'version: 1.2.3\nappVersion: 1.2.3\n');
  write('clients/typescript/package.json', '{ "version": "1.2.3" }');
  write('clients/python/pyproject.toml', '[project]\nversion = "1.2.3"\n');
  write('CHANGELOG.md', CHANGELOG);
  commit();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: root, stdio: 'ignore' });
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

function commit(): void {
  git('add', '-A');
  git('commit', '-qm', 'Change');
}

function change(file: string, text: string): void {
  write(file, text);
  commit();
}

function release(...args: readonly string[]) {
  return spawnSync(COMMAND, args, { env: { ...process.env, ROOT: root }, encoding: 'utf8', timeout: 60_000 });
}

/** @returns the first line of each problem. */
function problems(): string[] {
  const { status, stderr } = release();
  expect(status).toBe(stderr === '' ? 0 : 1);
  return stderr.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
}

test('make release prints the commands that tag a version without problems, and runs none of them', () => {
  const { status, stdout } = release();
  expect(status).toBe(0);
  expect(stdout).toContain("git tag -a v1.2.3 -m 'Tearsheet 1.2.3'\n    git push origin main v1.2.3");
  expect(stdout).toContain('make publish-npm');
  expect(execFileSync('git', ['tag'], { cwd: root, encoding: 'utf8' })).toBe('');
});

test('make release fails and lists every problem', () => {
  write('package.json', '{ "version": "1.2.4" }');
  const { status, stderr } = release();
  expect(status).toBe(1);
  expect(stderr).toContain('Version 1.2.4 cannot be released yet:\n- The working tree has changes.');
  expect(stderr).toContain(' M package.json');
  expect(stderr).toContain('- CHANGELOG.md describes no changes of 1.2.4.');
});

test('a release is refused on another branch than main', () => {
  git('switch', '-qc', 'feature');
  expect(problems()).toEqual(['The current branch is feature. Releases are made on main: git switch main']);
});

test.each([
  ['package-lock.json', '{ "version": "1.2.2" }', 'package-lock.json'],
  ['charts/tearsheet/Chart.yaml', 'version: 1.2.2\nappVersion: 1.2.3\n', 'version in charts/tearsheet/Chart.yaml'],
  ['charts/tearsheet/Chart.yaml', 'version: 1.2.3\nappVersion: "1.2.2"\n', 'appVersion in charts/tearsheet/Chart.yaml'],
  ['clients/typescript/package.json', '{ "version": "1.2.2" }', 'clients/typescript/package.json'],
  ['clients/python/pyproject.toml', '[project]\nversion = "1.2.2"\n', 'clients/python/pyproject.toml'],
])('a release is refused while the version in %s differs (%j)', (file, text, place) => {
  change(file, text);
  expect(problems()).toEqual([`package.json has version 1.2.3, but ${place} has 1.2.2. Make them equal.`]);
});

test.each([
  ['no date', CHANGELOG.replace(' - 2026-11-22', ''), 'CHANGELOG.md has no heading "## [1.2.3] - <date>". Add it.'],
  [
    'an empty section',
    CHANGELOG.replace('### Added\n\n- A thing.\n', ''),
    'CHANGELOG.md describes no changes of 1.2.3. Describe them.',
  ],
  [
    'entries under Unreleased',
    CHANGELOG.replace('[Unreleased]\n', '[Unreleased]\n\n- Another.\n'),
    'CHANGELOG.md has entries under Unreleased. Move them to the section for 1.2.3.',
  ],
])('a release is refused while the changelog has %s', (_fault, text, problem) => {
  change('CHANGELOG.md', text);
  expect(problems()).toEqual([problem]);
});

const TAKEN = 'The tag v1.2.3 already exists. Raise the version in package.json and Chart.yaml.';

test('a release is refused when its tag exists, also if only the remote repository has it', () => {
  git('tag', 'v1.2.3');
  expect(problems()).toEqual([TAKEN]);
  const remote = path.join(root, '.git/remote.git');
  git('init', '-q', '--bare', remote);
  git('remote', 'add', 'origin', remote);
  git('push', '-q', 'origin', 'v1.2.3');
  git('tag', '-d', 'v1.2.3');
  expect(problems()).toEqual([TAKEN]);
});

test('a release is refused while the upgrade test does not begin at the last release', () => {
  git('tag', 'v1.2.1');
  change('README.md', 'Another release.\n');
  git('tag', 'v1.2.2');
  const commit = execFileSync('git', ['rev-parse', 'v1.2.2'], { cwd: root, encoding: 'utf8' });
  expect(problems()).toEqual([
    expect.stringMatching(/^test\/e2e\/previousVersion does not name the commit of v1\.2\.2, .*: git rev-list -n 1 v1/),
  ]);
  change('test/e2e/previousVersion', commit);
  expect(problems()).toEqual([]);
});

test('a release is refused when the remote repository does not answer', () => {
  git('remote', 'add', 'origin', path.join(root, 'nowhere.git'));
  expect(problems()).toEqual(['git could not list the tags of origin, so v1.2.3 may be taken.']);
});

test('the release notes are the section of the version', () => {
  write('CHANGELOG.md', `${CHANGELOG}\n## [1.2.2] - 2026-11-01\n\n- Old.\n`);
  expect(release('notes').stdout).toBe('### Added\n\n- A thing.\n');
  write('CHANGELOG.md', '# Changelog\n');
  expect(release('notes').status).toBe(1);
});
