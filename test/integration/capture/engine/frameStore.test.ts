import { mkdtemp, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FrameStore } from '../../../../src/capture/engine/creativeOutcomes.ts';

test('The frame store removes the folder for frames that do not fit into memory', async () => {
  const tempDir = await mkdtemp(path.join(tmpdir(), 'frames-test-'));
  const store = new FrameStore({ memoryBytes: 4, tempDir });
  const [inMemory, onDisk] = [await store.keep(Buffer.from('four')), await store.keep(Buffer.from('more'))];
  expect(await readdir(tempDir)).toHaveLength(1);
  expect([(await inMemory()).toString(), (await onDisk()).toString()]).toEqual(['four', 'more']);
  await store.close();
  expect(await readdir(tempDir)).toEqual([]);
  await rmdir(tempDir);
});
