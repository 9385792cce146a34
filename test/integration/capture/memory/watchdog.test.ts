/** Real browsers that use much memory, in a simulated container: the test writes the memory files of its control group. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findChromium } from '../../../../src/capture/browser/chromium.ts';
import { type Engine, startEngine } from '../../../../src/capture/engine/engine.ts';
import { memoryOfGroups } from '../../../../src/capture/memory/watchdog.ts';
import { findDevice } from '../../../../src/domain/devices.ts';
import { sleep } from '../../../../src/lib/sleep.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { required } from '../../../support/required.ts';
import { TEST_LOG } from '../../../support/testLog.ts';
import { parentOf } from '../page/browserProcesses.ts';

const MIB = 2 ** 20;
const DESKTOP = required(findDevice('desktop'));
/** Allocates a gigabyte in pieces and writes to each. */
const EATS =
  '<script>for (let i = 0; i < 64; i++) (window.kept ??= []).push(new Uint8Array(16 * 2 ** 20).fill(7));</script>';

let folder: string;
let engine: Engine;
let site: Listener;
let isMeasuring: boolean;
let measuring: Promise<void>;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-cgroup-'));
  await writeFile(path.join(folder, 'memory.max'), `${700 * MIB}`);
  await measure();
  isMeasuring = true;
  measuring = keepMeasuring();
  site = await listenHttp((req, res) => {
    const head = '<!doctype html><title>News</title><div id="div-gpt-ad-1" style="width:300px;height:250px"></div>';
    res.setHeader('content-type', 'text/html');
    // A page that ends could be open before the watchdog looks at the memory.
    if (req.url === '/heavy') res.write(head + EATS);
    else res.end(head);
  });
  engine = await startEngine({
    ...{ chromiumPath: findChromium(process.env['CHROMIUM_PATH']), allow: ['127.0.0.0/8'], log: TEST_LOG },
    cgroupFolder: folder,
  });
});

afterEach(async () => {
  await engine.close();
  isMeasuring = false;
  await measuring;
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

/** Never two at once: a busy machine needs longer for a measurement than the pause. */
async function keepMeasuring(): Promise<void> {
  while (isMeasuring) {
    await measure();
    await sleep(150);
  }
}

/** The browsers that this process started; each is the leader of a group. Other tests run at the same time. */
async function measure(): Promise<void> {
  const groups = [...(await memoryOfGroups())].filter(([group]) => parentOf(group) === process.pid);
  const used = groups.reduce((sum, [, bytes]) => sum + bytes, 0);
  // At once, as the kernel's file is never half written.
  const fresh = path.join(folder, `${performance.now()}`);
  await writeFile(fresh, String(used));
  await rename(fresh, path.join(folder, 'memory.current'));
}

const render = (content: string, markerMs: number | null = null) =>
  engine.render({ kind: 'html_tag', content }, { markers: [markerMs], ratios: [1] });

test('A creative that uses too much memory fails, and the next creative is rendered', async () => {
  // At its default frame the creative could be finished before the watchdog looks at the memory.
  const heavy = await render(`<div style="width:300px;height:250px">heavy</div>${EATS}`, 30_000);
  expect(heavy).toEqual({
    status: 'generic_error',
    reason: expect.stringMatching(/^Too heavy: with this creative the capture used \d+ of its 700 MiB of memory\.$/),
  });
  const light = await render('<div style="width:300px;height:250px;background:#036">light</div>');
  expect(light).toMatchObject({ status: 'uploaded', width: 300, height: 250 });
});

test('A page that uses too much memory is lost, and the next page is opened', async () => {
  await expect(engine.open(`${site.url}/heavy`, DESKTOP)).rejects.toThrow();
  expect(engine.memoryEndReason).toMatch(/^Too heavy: with this page the capture used \d+ of its 700 MiB of memory\.$/);
  await engine.restartPageBrowser();
  const page = await engine.open(`${site.url}/light`, DESKTOP);
  expect(page).toMatchObject({ status: 'ready' });
  expect(engine.memoryEndReason).toBeUndefined();
});
