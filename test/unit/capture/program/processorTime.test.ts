import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProcessorMeter } from '../../../../src/capture/program/processorTime.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-cgroup-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('each report has the processor time since the one before, in a control group of version 2', async () => {
  const meter = createProcessorMeter(folder);
  await writeFile(path.join(folder, 'cpu.stat'), 'usage_usec 2500000\nuser_usec 2000000\n');
  expect(await meter.take()).toBe(2.5);
  await writeFile(path.join(folder, 'cpu.stat'), 'usage_usec 4000000\nuser_usec 3000000\n');
  expect(await meter.take()).toBe(1.5);
});

test('the processor time is read from a control group of version 1', async () => {
  await mkdir(path.join(folder, 'cpuacct'));
  await writeFile(path.join(folder, 'cpuacct', 'cpuacct.usage'), '1500000000\n');
  expect(await createProcessorMeter(folder).take()).toBe(1.5);
});

test('without a control group there is no processor time', async () => {
  expect(await createProcessorMeter(folder).take()).toBeUndefined();
});
