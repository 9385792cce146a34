/** Everything that must be true before a version can be released. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { changelogSection } from './changelog.ts';

const Package = z.object({ version: z.string() });
const Chart = z.object({ version: z.string(), appVersion: z.string() });
const BRANCH = 'main';
const REMOTE_MS = 30_000;

/** @param root of the repository. @returns what is in the way, in sentences, with what to do. @throws Error when a file cannot be read. */
export function releaseProblems(root: string): { version: string; problems: string[] } {
  const { version } = Package.parse(JSON.parse(read(root, 'package.json')));
  const problems = [
    branchProblem(root),
    treeProblem(root),
    ...versionProblems(root, version),
    ...changelogProblems(root, version),
    tagProblem(root, version),
  ];
  return { version, problems: problems.filter((problem) => problem !== undefined) };
}

function branchProblem(root: string): string | undefined {
  const branch = git(root, 'branch', '--show-current');
  if (branch === BRANCH) return undefined;
  return `The current branch is ${branch || 'none'}. Releases are made on ${BRANCH}: git switch ${BRANCH}`;
}

function treeProblem(root: string): string | undefined {
  const changes = git(root, 'status', '--porcelain');
  if (changes === '') return undefined;
  return `The working tree has changes. Commit or remove them:\n${changes.replaceAll(/^/gm, '    ')}`;
}

function versionProblems(root: string, version: string): string[] {
  const chart = Chart.parse(parse(read(root, 'charts/tearsheet/Chart.yaml')));
  const lock = Package.parse(JSON.parse(read(root, 'package-lock.json')));
  const others = [
    ['package-lock.json', lock.version],
    ['version in charts/tearsheet/Chart.yaml', chart.version],
    ['appVersion in charts/tearsheet/Chart.yaml', chart.appVersion],
    [
      'clients/typescript/package.json',
      Package.parse(JSON.parse(read(root, 'clients/typescript/package.json'))).version,
    ],
    [
      'clients/python/pyproject.toml',
      /^version = "(.*)"$/m.exec(read(root, 'clients/python/pyproject.toml'))?.[1] ?? 'none',
    ],
  ];
  return others
    .filter(([, other]) => other !== version)
    .map(([place, other]) => `package.json has version ${version}, but ${place} has ${other}. Make them equal.`);
}

function changelogProblems(root: string, version: string): string[] {
  const changelog = read(root, 'CHANGELOG.md');
  const section = changelogSection(changelog, version);
  if (section === undefined) return [`CHANGELOG.md has no section for ${version}. Add "## [${version}] - <date>".`];
  const problems: string[] = [];
  if (section.date === undefined) problems.push(`The section for ${version} in CHANGELOG.md has no date. Add one.`);
  if (section.text === '') problems.push(`The section for ${version} in CHANGELOG.md is empty. Describe the changes.`);
  if ((changelogSection(changelog, 'Unreleased')?.text ?? '') !== '') {
    problems.push(`CHANGELOG.md has entries under Unreleased. Move them to the section for ${version}.`);
  }
  return problems;
}

/** Asks the remote repository too, if there is one: a tag may exist only there. */
function tagProblem(root: string, version: string): string | undefined {
  const tag = `v${version}`;
  const taken = `The tag ${tag} already exists. Raise the version in package.json and Chart.yaml.`;
  if (git(root, 'tag', '--list', tag) !== '') return taken;
  if (!git(root, 'remote').split('\n').includes('origin')) return undefined;
  try {
    return git(root, 'ls-remote', '--tags', 'origin', `refs/tags/${tag}`) === '' ? undefined : taken;
  } catch (error) {
    return `git could not list the tags of origin, so ${tag} may be taken: ${error instanceof Error ? error.message : error}`;
  }
}

function read(root: string, file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', timeout: REMOTE_MS, stdio: 'pipe' }).trim();
}
