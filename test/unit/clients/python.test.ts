/** Runs the tests of the Python client. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const FOLDER = path.join(import.meta.dirname, '../../../clients/python');
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
const python = (...args: string[]) =>
  spawnSync('python3', args, { cwd: FOLDER, env, encoding: 'utf8', timeout: 240_000 });
/** CI has Python. */
const isSkipped = process.env['CI'] === undefined && python('--version').status !== 0;

describe.skipIf(isSkipped)('the Python client', () => {
  test('the Python client passes its tests', { timeout: 300_000 }, () => {
    const { status, stderr } = python('-m', 'unittest', 'tests.test_client');
    expect(stderr).toMatch(/Ran 1\d tests/);
    expect(status, stderr).toBe(0);
  });

  test('the Python client uses only the syntax of Python 3.9', () => {
    const parse = `import ast, glob
for name in glob.glob("tearsheet_client/*.py"):
    ast.parse(open(name, encoding="utf-8").read(), name, feature_version=(3, 9))`;
    const { status, stderr } = python('-c', parse);
    expect(status, stderr).toBe(0);
  });
});
