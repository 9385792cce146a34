import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CAPTURE_EXIT } from '../../../../src/contract/captureProtocol.ts';
import { prepareCaptureJobs } from '../doubles/captureJob.ts';

const CLI = fileURLToPath(new URL('../../../../src/cli.ts', import.meta.url));
const startCaptureJob = prepareCaptureJobs();
const AD = '11111111-1111-4111-8111-111111111111';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-environment-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('The environment of the browser does not contain the token of the job', async () => {
  const job = await startCaptureJob({ ads: { [AD]: '<b>ad</b>' } });
  const output = path.join(folder, 'environment');
  const browser = path.join(folder, 'browser');
  await writeFile(browser, `#!/bin/sh\nenv > ${output}\nexit 1\n`);
  await chmod(browser, 0o755);
  const env = { ...job.env, PATH: process.env['PATH'], CHROMIUM_PATH: browser };
  const capture = spawn(process.execPath, [CLI, 'capture'], { env, stdio: 'ignore' });
  const [code] = await once(capture, 'exit');
  expect(code).toBe(CAPTURE_EXIT.crashed);
  const environment = await readFile(output, 'utf8');
  expect(environment).toContain('PATH=');
  expect(environment).not.toContain(job.env.TEARSHEET_TOKEN);
});
