/** Pictures of whole pages without ads. The gallery draws all candidates over them, because a viewport shows only some. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { type BrowserProcess, startBrowser } from '../../src/capture/browser/browserProcess.ts';
import { AD_REQUESTS } from '../../src/capture/page/adRequests.ts';
import { openDeviceTab } from '../../src/capture/page/deviceContext.ts';
import { LivePage } from '../../src/capture/page/livePage.ts';
import { pagesIn } from '../../src/capture/page/pageOpener.ts';
import { scrollThrough } from '../../src/capture/page/settle.ts';
import { createGuard } from '../../src/egress/guard.ts';
import { startEgressProxy } from '../../src/egress/proxy.ts';
import { shortErrorMessage } from '../../src/lib/errorMessage.ts';
import { TaskGroup } from '../../src/lib/taskGroup.ts';
import type { GalleryOptions } from './capture.ts';
import type { PlannedPage } from './plan.ts';

export interface WholePage {
  readonly file: string;
  /** CSS pixels of the document. */
  readonly width: number;
  readonly height: number;
}

const AT_ONCE = 2;
const LOAD_MS = 6_000;
const SCROLL_MS = 2_000;
const MAX_HEIGHT = 8_000;

/** The key of a page and device in the result of {@link takeWholePages}. */
export function wholePageKey(page: string, device: string): string {
  return JSON.stringify([page, device]);
}

/** A page that cannot be opened is left out. */
export async function takeWholePages(
  plan: readonly PlannedPage[],
  { chromiumPath, allow, out, signal, progress }: GalleryOptions,
): Promise<Map<string, WholePage>> {
  await mkdir(path.join(out, 'pages'), { recursive: true });
  const taken = new Map<string, WholePage>();
  const proxy = await startEgressProxy({ guard: createGuard({ allow }) });
  const browser = await startBrowser({ chromiumPath, proxyUrl: proxy.url }, pagesIn());
  try {
    const group = new TaskGroup(AT_ONCE);
    for (const planned of plan) {
      if (signal.aborted) break;
      const key = wholePageKey(planned.page.name, planned.device.name);
      await group.add(async () => {
        try {
          taken.set(key, await takeWholePage(browser, planned, out));
        } catch (error) {
          progress(`no picture of the whole page ${planned.page.name}: ${shortErrorMessage(error)}`);
        }
      });
    }
    await group.drain();
  } finally {
    await browser.close();
    await proxy.close();
  }
  return taken;
}

async function takeWholePage(
  browser: BrowserProcess,
  { page: { name, url }, device }: PlannedPage,
  out: string,
): Promise<WholePage> {
  // One device pixel for each CSS pixel: this picture is for orientation.
  const tab = await openDeviceTab(browser, { ...device, ratio: 1 });
  try {
    // As in a capture, no other ads fill the slots.
    await tab.session.send('Network.setBlockedURLs', { urls: [...AD_REQUESTS] });
    await tab.navigate(url, LOAD_MS);
    await tab.reached('loaded', LOAD_MS);
    await scrollThrough(tab.mainFrame, SCROLL_MS);
    const live = new LivePage(tab);
    await live.freeze();
    const { document: page } = await live.screen();
    const width = await tab.mainFrame.evaluate(() => document.documentElement.clientWidth);
    const height = Math.min(page.height, MAX_HEIGHT);
    const png = await live.capture({ rect: { x: 0, y: 0, width, height } });
    const id = createHash('sha256').update(`${name}\n${device.name}`).digest('hex').slice(0, 12);
    const file = `pages/${id}.webp`;
    await writeFile(path.join(out, file), await sharp(png).webp({ quality: 60 }).toBuffer());
    return { file, width, height };
  } finally {
    await tab.close();
  }
}
