/** The floor: the page is loaded once. For each ad, it swaps the image and captures over CDP, without any checks. */
import { chromium } from 'playwright';
import { openDeviceContext } from '../../src/capture/page/deviceContext.ts';
import type { Device } from '../../src/domain/devices.ts';
import type { BenchAd } from './ads.ts';
import { CHROMIUM } from './machine.ts';
import { showInSlot } from './showInSlot.ts';

export interface RawPage {
  capture(ad: BenchAd): Promise<Buffer>;
  close(): Promise<void>;
}

export interface RawPageOptions {
  readonly url: string;
  readonly device: Device;
  /** A selector. */
  readonly slot: string;
}

export const SANDBOX = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

export async function openRawPage({ url, device, slot }: RawPageOptions): Promise<RawPage> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: SANDBOX });
  const context = await openDeviceContext(browser, device);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const { width, height } = device.viewport;
  await session.send('Emulation.setDeviceMetricsOverride', {
    width,
    height,
    deviceScaleFactor: device.ratio,
    mobile: device.touch,
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  return {
    async capture({ source }) {
      await page.evaluate(showInSlot, [slot, source] as const);
      // The fastest setting.
      const { data } = await session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
      return Buffer.from(data, 'base64');
    },
    close: () => browser.close(),
  };
}
