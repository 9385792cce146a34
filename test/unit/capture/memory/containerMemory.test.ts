import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readContainerMemory } from '../../../../src/capture/memory/watchdog.ts';

const MIB = 2 ** 20;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-cgroup-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), `${text}\n`);
  }
}

test('In version 2, file pages that the kernel can reclaim do not count as used', async () => {
  await write({
    ...{ 'memory.max': `${1024 * MIB}`, 'memory.current': `${900 * MIB}` },
    'memory.stat': `anon 1\nfile 9\ninactive_file ${100 * MIB}\nactive_file ${50 * MIB}\nslab 7`,
  });
  expect(await readContainerMemory(folder)).toEqual({ usedBytes: 750 * MIB, limitBytes: 1024 * MIB });
});

test('In version 1, the figures come from the files of the whole group', async () => {
  await write({
    'memory/memory.limit_in_bytes': `${512 * MIB}`,
    'memory/memory.usage_in_bytes': `${300 * MIB}`,
    'memory/memory.stat': `inactive_file 1\ntotal_inactive_file ${20 * MIB}\ntotal_active_file ${30 * MIB}`,
  });
  expect(await readContainerMemory(folder)).toEqual({ usedBytes: 250 * MIB, limitBytes: 512 * MIB });
});

test.each([
  ['no file exists', {}],
  ['version 2 sets no limit', { 'memory.max': 'max', 'memory.current': '1' }],
  [
    'version 1 sets no limit',
    { 'memory/memory.limit_in_bytes': '9223372036854771712', 'memory/memory.usage_in_bytes': '1' },
  ],
])('The memory is not limited if %s', async (_, files) => {
  await write(files);
  expect(await readContainerMemory(folder)).toBeUndefined();
});
