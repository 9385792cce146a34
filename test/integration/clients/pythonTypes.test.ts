/** Checks the types of the Python client, and that the sample of the quick start uses them correctly. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PYTHON_TOOLS_MS, pythonTools } from '../../support/pythonTools.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const CLIENT = path.join(ROOT, 'clients/python');
const MYPY_MS = 5 * 60_000;
const folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-mypy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The types of answers that programs rely on. */
const USES = `
from tearsheet_client import Tearsheet, request_warnings

def use(client: Tearsheet) -> None:
    reveal_type(client.wait_for_screenshot_set("id"))
    reveal_type(client.upload_file("banner.png"))
    reveal_type(request_warnings(client.get_ad("id"))[0]["message"])
`;

function mypy(tools: string, ...args: string[]): { status: number | null; stdout: string } {
  const env = { PATH: process.env['PATH'], PYTHONPATH: tools, MYPYPATH: CLIENT, PYTHONDONTWRITEBYTECODE: '1' };
  const common = ['-m', 'mypy', '--cache-dir', path.join(folder, 'cache'), '--python-version', '3.10'];
  return spawnSync('python3', [...common, ...args], { cwd: folder, env, encoding: 'utf8', timeout: MYPY_MS });
}

test('the types of the Python client are complete', { timeout: PYTHON_TOOLS_MS + 3 * MYPY_MS }, async ({ skip }) => {
  const tools = await pythonTools(skip);
  expect(mypy(tools, '--strict', path.join(CLIENT, 'tearsheet_client'))).toMatchObject({
    stdout: expect.stringContaining('Success: no issues found'),
  });
  writeFileSync(path.join(folder, 'uses.py'), USES);
  const { stdout } = mypy(tools, '--strict', 'uses.py');
  expect([...stdout.matchAll(/Revealed type is "(.*)"/g)].map(([, type = '']) => type.split('(')[0])).toEqual([
    'TypedDict',
    'TypedDict',
    'str',
  ]);
  const sample = /\n```python\n(.*?)\n```\n/s.exec(readFileSync(path.join(ROOT, 'docs/quick-start.md'), 'utf8'))?.[1];
  writeFileSync(path.join(folder, 'sample.py'), sample ?? '');
  expect(mypy(tools, '--check-untyped-defs', 'sample.py')).toMatchObject({
    stdout: expect.stringContaining('Success: no issues found'),
  });
});
