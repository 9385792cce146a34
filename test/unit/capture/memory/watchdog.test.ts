import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MemoryConsumer, memoryOfGroups, watchMemory } from '../../../../src/capture/memory/watchdog.ts';
import { eventually } from '../../../support/eventually.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

const MIB = 2 ** 20;
let folder: string;
let stopping: AbortController;
let watching: Promise<void> | undefined;
beforeEach(async () => {
  stopping = new AbortController();
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-cgroup-'));
  await writeFile(path.join(folder, 'memory.max'), `${1000 * MIB}`);
  use(100);
});
afterEach(async () => {
  stopping.abort();
  await watching;
  await rm(folder, { recursive: true, force: true });
});

/** Replaces the file in one step, so that it is never empty. */
function use(mib: number): void {
  writeFileSync(path.join(folder, 'new'), `${mib * MIB}`);
  renameSync(path.join(folder, 'new'), path.join(folder, 'memory.current'));
}

function watch(weights: Record<string, number>, relieved: () => void = () => undefined) {
  const ended: string[] = [];
  const consumers = new Map<number, MemoryConsumer>();
  for (const [i, name] of Object.keys(weights).entries()) {
    const end = (words: string) => {
      consumers.delete(i + 1);
      ended.push(`${name}: ${words}`);
      relieved();
    };
    consumers.set(i + 1, { kind: name.startsWith('page') ? 'page' : 'creative', processGroup: i + 1, end });
  }
  const readMemory = async () => new Map(Object.values(weights).map((weight, i) => [i + 1, weight] as const));
  const options = {
    consumers: () => [...consumers.values()],
    log: TEST_LOG,
    cgroupFolder: folder,
    everyMs: 5,
    readMemory,
  };
  watching = watchMemory(options, stopping.signal);
  return ended;
}

const passes = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('At 85 % of the limit the creative is ended, and its reason contains the memory figures', async () => {
  const ended = watch({ creative: 1 });
  use(849);
  await passes(50);
  expect(ended).toEqual([]);
  use(850);
  await eventually(() => expect(ended).toHaveLength(1));
  expect(ended[0]).toBe('creative: Too heavy: with this creative the capture used 850 of its 1000 MiB of memory.');
});

test('The browser with the most memory is ended, and the others continue if that was enough', async () => {
  const ended = watch({ page: 300, small: 100, large: 400 }, () => use(400));
  use(900);
  await eventually(() => expect(ended).toHaveLength(1));
  // It looks again after a second.
  await passes(1_200);
  expect(ended).toEqual([expect.stringMatching(/^large: /)]);
});

test('A page with the most memory is ended even while a creative is rendered', async () => {
  const ended = watch({ small: 100, page: 700 });
  use(900);
  await eventually(() => expect(ended).toEqual([expect.stringMatching(/^page: Too heavy: with this page /)]));
});

test('The creative is ended if the memory of the browsers is unknown', async () => {
  const ended = watch({ page: 0, creative: 0 });
  use(900);
  await eventually(() => expect(ended).toEqual([expect.stringMatching(/^creative: /)]));
});

test('The watchdog continues if no browser is working', async () => {
  const ended = watch({});
  use(990);
  await passes(50);
  expect(ended).toEqual([]);
});

test('The watchdog ends at once without a memory limit', async () => {
  await writeFile(path.join(folder, 'memory.max'), 'max');
  watch({ creative: 1 });
  await watching;
});

test.runIf(process.platform === 'linux')('The memory of a process group is the sum of its processes', async () => {
  const script = 'globalThis.kept = Buffer.alloc(60 * 2 ** 20, 1); console.log("ready"); setInterval(() => {}, 1e6);';
  const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const weight = (await memoryOfGroups()).get(child.pid ?? 0) ?? 0;
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  expect(weight).toBeGreaterThan(60 * MIB);
  expect(weight).toBeLessThan(300 * MIB);
});
