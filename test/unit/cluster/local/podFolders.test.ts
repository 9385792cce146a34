import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPodFolder, removeLeftPodFolders } from '../../../../src/cluster/local/localPod.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pod-folders-test-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** The id of a process that has ended. */
function endedProcess(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

test('the folder of a capture whose controller was killed is removed with its files', async () => {
  const left = path.join(folder, `tearsheet-pod-${endedProcess()}-AbCdEf`);
  mkdirSync(path.join(left, 'profile'), { recursive: true });
  writeFileSync(path.join(left, 'profile', 'file'), '');
  expect(await removeLeftPodFolders()).toBe(1);
  expect(existsSync(left)).toBe(false);
});

test('folders of a process that runs, and other files, stay', async () => {
  const running = path.join(folder, `tearsheet-pod-${process.ppid}-AbCdEf`);
  const other = path.join(folder, 'tearsheet-pod-other');
  for (const stays of [running, other]) mkdirSync(stays);
  expect(await removeLeftPodFolders()).toBe(0);
  expect([running, other].map((stays) => existsSync(stays))).toEqual([true, true]);
});

test('a controller that gets the process id of a killed one removes its folders', async () => {
  const created = createPodFolder();
  expect(path.basename(created)).toContain(`-${process.pid}-`);
  expect(await removeLeftPodFolders()).toBe(1);
  expect(existsSync(created)).toBe(false);
});
