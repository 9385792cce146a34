import type { BrowserContextOptions } from 'playwright-core';
import type { Location } from '../../contract/locations.ts';
import { type Device, userAgentOf } from '../../domain/devices.ts';
import type { BrowserProcess } from '../browser/browserProcess.ts';
import type { CdpSession } from '../browser/cdp.ts';
import { Tab } from '../browser/tab.ts';
import { addPageScripts } from './pageScripts.ts';

/** The locale of pages without a location, and their only language. */
export const ENGLISH = 'en-US';
/** A shared worker belongs to no page, so it would have another time zone than the page. */
const BLOCK_SHARED_WORKERS = 'delete self.SharedWorker;';

interface Place {
  readonly location?: Location | undefined;
  readonly proxyUrl?: string | undefined;
}

/** Opens a blank page with our scripts that behaves as the device and refuses everything a site may ask for besides showing itself. */
export async function openDeviceTab(browser: BrowserProcess, device: Device, place: Place = {}): Promise<Tab> {
  const tab = await Tab.open(browser, contextOptions(device, place));
  try {
    await emulate(tab.session, device, { version: browser.version, location: place.location });
    await addPageScripts(tab.session);
    return tab;
  } catch (error) {
    await tab.close();
    throw error;
  }
}

function contextOptions(device: Device, { location, proxyUrl }: Place): BrowserContextOptions {
  const { geolocation } = location ?? {};
  return {
    viewport: device.viewport,
    screen: device.viewport,
    deviceScaleFactor: device.ratio,
    isMobile: device.touch,
    hasTouch: device.touch,
    bypassCSP: true,
    serviceWorkers: 'block',
    permissions: geolocation ? ['geolocation'] : [],
    ...(location && { timezoneId: location.time_zone, extraHTTPHeaders: headersFor(location) }),
    ...(geolocation && { geolocation }),
    ...(proxyUrl !== undefined && { proxy: { server: proxyUrl } }),
  };
}

/** Pages send these languages by themselves, but workers send them without weights. */
function headersFor({ languages }: Location): Record<string, string> {
  const weighted = languages.map((language, index) => (index === 0 ? language : `${language};q=${weightOf(index)}`));
  return { 'accept-language': weighted.join() };
}

function weightOf(index: number): number {
  return Math.max(1, 10 - index) / 10;
}

/**
 * Playwright would choose the client hints itself, and give workers one language instead of those of their browser. The metrics
 * are set again because a picture is taken with those of its session.
 */
async function emulate(
  session: CdpSession,
  device: Device,
  { version, location }: { version: string; location: Location | undefined },
): Promise<void> {
  const { width, height } = device.viewport;
  const { languages, locale } = location ?? { languages: [ENGLISH], locale: ENGLISH };
  const userAgentMetadata = clientHintsOf(device, version);
  await Promise.all([
    session.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      screenWidth: width,
      screenHeight: height,
      deviceScaleFactor: device.ratio,
      mobile: device.touch,
      screenOrientation:
        width > height ? { angle: 90, type: 'landscapePrimary' } : { angle: 0, type: 'portraitPrimary' },
    }),
    session.send('Emulation.setLocaleOverride', { locale }),
    session.send('Emulation.setUserAgentOverride', {
      userAgent: userAgentOf(device, version),
      acceptLanguage: languages.join(),
      platform: platformOf(device),
      ...(userAgentMetadata && { userAgentMetadata }),
    }),
    ...(location ? [session.send('Page.addScriptToEvaluateOnNewDocument', { source: BLOCK_SHARED_WORKERS })] : []),
  ]);
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

/** Client hints as Chrome sends them. Safari, the browser of Apple's devices, sends none, and others might contradict a user agent. */
function clientHintsOf(device: Device, version: string) {
  if (device.agent === 'iphone' || device.agent === 'ipad' || device.userAgent !== undefined) return undefined;
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
