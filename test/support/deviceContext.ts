import type { Browser, BrowserContext } from 'playwright';
import { type Device, userAgentOf } from '../../src/domain/devices.ts';

/** A context of Playwright for a device, as the floor of the benches. */
export function openDeviceContext(browser: Browser, device: Device): Promise<BrowserContext> {
  return browser.newContext({
    viewport: { ...device.viewport },
    screen: { ...device.viewport },
    deviceScaleFactor: device.ratio,
    isMobile: device.touch,
    hasTouch: device.touch,
    userAgent: userAgentOf(device, browser.version()),
    locale: 'en-US',
    bypassCSP: true,
    acceptDownloads: false,
    serviceWorkers: 'block',
    permissions: [],
  });
}
