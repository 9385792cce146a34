import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../../..');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-summary-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs vitest in a new folder with these files. @returns its output, and the summary that it wrote. */
function runVitest(name: string, files: Readonly<Record<string, string>>) {
  const root = path.join(folder, name);
  mkdirSync(root);
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(root, file), text);
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporter = path.join(ROOT, 'test/support/summaryReporter.ts');
  const args = [vitest, 'run', '--globals', '--root', root, `--reporter=${reporter}`];
  const env = { ...process.env, SUMMARY: 'test' };
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8', timeout: 60_000 });
  return { stdout, summary: readFileSync(path.join(root, '.cache/test-summary'), 'utf8') };
}

test('a failed test and a file that cannot be loaded count as one failure each', () => {
  const { stdout, summary } = runVitest('mixed', {
    'a.test.js': `test('good', () => {}); test('bad', () => { throw new Error('no luck'); });`,
    'b.test.js': `throw new Error('not loaded');`,
  });
  expect(summary).toBe('1 passed, 2 failed\na.test.js  bad: no luck\nb.test.js: not loaded\n');
  expect(stdout).toContain('a.test.js  bad: no luck\nb.test.js: not loaded\n');
  expect(stdout).toMatch(/The slowest tests:\n +0\.\d s {2}a\.test\.js {2}/);
});

test('a hook of a group that fails counts as one failure', () => {
  const { summary } = runVitest('hook', {
    'a.test.js': `describe('group', () => { beforeAll(() => { throw new Error('no start'); }); test('good', () => {}); });`,
  });
  expect(summary).toBe('0 passed, 1 failed\na.test.js  group: no start\n');
});

test('an unhandled error counts as one failure', () => {
  const { summary } = runVitest('unhandled', {
    'a.test.js': `test('good', async () => { void Promise.reject(new Error('lost')); await new Promise(setImmediate); });`,
  });
  expect(summary).toBe('1 passed, 1 failed\nAn error outside of the tests: lost\n');
});

test('a run without a test file counts as one failure', () => {
  expect(runVitest('empty', { 'package.json': '{}' }).summary).toMatch(/^0 passed, 1 failed\nThe run ended with /);
});
