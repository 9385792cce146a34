import { mkdtemp, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FrameStore } from '../../../../src/capture/engine/creativeOutcomes.ts';

test('The frame store reads frames from its folder, and removes it', async () => {
  const tempDir = await mkdtemp(path.join(tmpdir(), 'frames-test-'));
  const store = new FrameStore(tempDir);
  const frames = [await store.keep(Buffer.from('one')), await store.keep(Buffer.from('two'))];
  expect(await readdir(tempDir)).toHaveLength(1);
  for (const _ of [1, 2]) expect((await Promise.all(frames.map((read) => read()))).join()).toBe('one,two');
  await store.close();
  expect(await readdir(tempDir)).toEqual([]);
  await rmdir(tempDir);
});
