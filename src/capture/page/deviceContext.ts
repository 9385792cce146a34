import type { Browser, BrowserContext, CDPSession, Page } from 'playwright';
import { type Device, userAgentOf } from '../../domain/devices.ts';

/** Opens a fresh context that behaves as the device and refuses everything a site may ask for besides showing itself. */
export async function openDeviceContext(browser: Browser, device: Device): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { ...device.viewport },
    screen: { ...device.viewport },
    deviceScaleFactor: device.ratio,
    isMobile: device.touch,
    hasTouch: device.touch,
    userAgent: userAgentOf(device, browser.version()),
    locale: 'en-US',
    bypassCSP: true,
    ignoreHTTPSErrors: false,
    acceptDownloads: false,
    serviceWorkers: 'block',
    permissions: [],
  });
  context.setDefaultTimeout(10_000);
  return context;
}

/** Sets what the context cannot: client hints, platform and, for the captures of this session, the screen. */
export async function emulateDevice(session: CDPSession, device: Device, version: string): Promise<void> {
  const userAgentMetadata = clientHintsOf(device, version);
  const { width, height } = device.viewport;
  // Each session has its own screen. Without this call its captures have CSS pixels instead of device pixels.
  await session.send('Emulation.setDeviceMetricsOverride', {
    width,
    height,
    screenWidth: width,
    screenHeight: height,
    deviceScaleFactor: device.ratio,
    mobile: device.touch,
    screenOrientation: width > height ? { angle: 90, type: 'landscapePrimary' } : { angle: 0, type: 'portraitPrimary' },
  });
  await session.send('Emulation.setUserAgentOverride', {
    userAgent: userAgentOf(device, version),
    acceptLanguage: 'en-US',
    platform: platformOf(device),
    ...(userAgentMetadata && { userAgentMetadata }),
  });
}

/** Dismisses dialogs, pop-ups and file choosers. */
export function refuseRequestsOf(page: Page): void {
  const refused = (error: unknown) => void error;
  page.on('dialog', (dialog) => void dialog.dismiss().catch(refused));
  page.on('popup', (popup) => void popup.close().catch(refused));
  page.on('filechooser', () => undefined);
}

function platformOf(device: Device): string {
  switch (device.agent) {
    case 'windows':
      return 'Win32';
    case 'iphone':
      return 'iPhone';
    case 'ipad':
      return 'iPad';
    default:
      return 'Linux armv81';
  }
}

/** Client hints as Chrome sends them. Safari, the browser of Apple's devices, sends none. */
function clientHintsOf(device: Device, version: string) {
  if (device.agent === 'iphone' || device.agent === 'ipad') return undefined;
  const major = version.split('.')[0] ?? version;
  const brands = (of: string) => [
    { brand: 'Not)A;Brand', version: of === major ? '99' : '99.0.0.0' },
    { brand: 'Google Chrome', version: of },
    { brand: 'Chromium', version: of },
  ];
  const windows = device.agent === 'windows';
  return {
    brands: brands(major),
    fullVersionList: brands(version),
    platform: windows ? 'Windows' : 'Android',
    platformVersion: '10.0.0',
    architecture: windows ? 'x86' : '',
    bitness: windows ? '64' : '',
    model: device.model,
    mobile: device.agent === 'android-phone',
  };
}
