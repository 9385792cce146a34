import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultOpenPages } from '../../../../src/capture/engine/pageQueue.ts';

const MIB = 2 ** 20;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-cgroup-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function openPages(processors: number, limit: string): Promise<number> {
  await writeFile(path.join(folder, 'memory.max'), `${limit}\n`);
  await writeFile(path.join(folder, 'memory.current'), `${100 * MIB}\n`);
  return defaultOpenPages({ processors, cgroupFolder: folder });
}

test('without a memory limit, two pages are open for each processor, and at most eight', async () => {
  expect(await openPages(1, 'max')).toBe(2);
  expect(await openPages(2, 'max')).toBe(4);
  expect(await openPages(32, 'max')).toBe(8);
});

test('the memory limit of the container reduces the number of open pages, to at least two', async () => {
  expect(await openPages(32, String(2048 * MIB))).toBe(4);
  expect(await openPages(32, String(768 * MIB))).toBe(2);
});
