/** The workflows run nothing but make targets, so that everything they do can be done on any machine. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = path.join(import.meta.dirname, '../../..');
const Job = z.object({
  uses: z.string().optional(),
  'timeout-minutes': z.number().optional(),
  steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })).default([]),
});
const Workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  concurrency: z.object({ group: z.string() }),
  jobs: z.record(z.string(), Job),
});

const WORKFLOWS = globSync('.github/workflows/*.yml', { cwd: ROOT }).map((file) => ({
  file,
  text: readFileSync(path.join(ROOT, file), 'utf8'),
}));
const JOBS = WORKFLOWS.flatMap(({ text }) => Object.values(Workflow.parse(parse(text)).jobs));
const TARGETS = [...readFileSync(path.join(ROOT, 'Makefile'), 'utf8').matchAll(/^([a-z][a-z0-9 -]*):/gm)].flatMap(
  ([, names = '']) => names.split(' '),
);

test('every step of a workflow that runs a command runs one make target that exists', () => {
  const commands = JOBS.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  expect(commands.length).toBeGreaterThan(3);
  expect(commands.filter((command) => !TARGETS.some((target) => command === `make ${target}`))).toEqual([]);
});

test('every action of a workflow is pinned to a commit and names its version', () => {
  const lines = WORKFLOWS.flatMap(({ text }) => text.split('\n').filter((line) => /\buses:/.test(line)));
  expect(lines.length).toBeGreaterThan(3);
  expect(
    lines.filter((line) => !/uses: (?:\.\/\.github\/workflows\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d)/.test(line)),
  ).toEqual([]);
});

test('every workflow reads the repository only, unless a job asks for more', () => {
  for (const { text } of WORKFLOWS) expect(Workflow.parse(parse(text)).permissions).toEqual({ contents: 'read' });
});

test('every job of a workflow has a timeout', () => {
  expect(JOBS.filter((job) => job.uses === undefined && job['timeout-minutes'] === undefined)).toEqual([]);
});
