import { type Device, userAgentOf } from '../../domain/devices.ts';
import type { Location } from '../../domain/locations.ts';
import type { BrowserProcess } from '../browser/browserProcess.ts';
import type { CdpCommands, CdpSession } from '../browser/cdp.ts';
import { FONT_FAMILIES } from '../browser/fonts.ts';
import { Tab } from '../browser/tab.ts';

/** The locale of pages without a location. */
const ENGLISH = 'en-US';
/** A shared worker belongs to no page, so it would have other languages than the page. */
const BLOCK_SHARED_WORKERS = 'delete self.SharedWorker;';

/** Runs in each new document. A service worker would answer requests that belong to no page. */
const BLOCK_SERVICE_WORKERS =
  'if (self.ServiceWorkerContainer) ServiceWorkerContainer.prototype.register = async () => undefined;';

/** Opens a blank page that behaves as the device and refuses everything a site may ask for besides showing itself. */
export async function openDeviceTab(browser: BrowserProcess, device: Device, place: Place = {}): Promise<Tab> {
  const { location, proxyUrl } = place;
  const tab = await Tab.open(browser, { proxyUrl, permissions: location?.geolocation ? ['geolocation'] : [] });
  try {
    const agent = agentOf(device, browser.version, location);
    await emulateDevice(tab.session, { device, agent, locale: location?.locale ?? ENGLISH });
    if (location) await emulateLocation({ browser, session: tab.session, agent, location });
    return tab;
  } catch (error) {
    await tab.close();
    throw error;
  }
}

interface Place {
  readonly location?: Location | undefined;
  readonly proxyUrl?: string | undefined;
}

type Agent = CdpCommands['Emulation.setUserAgentOverride']['paramsType'][0];

function agentOf(device: Device, version: string, location: Location | undefined): Agent {
  const userAgentMetadata = clientHintsOf(device, version);
  return {
    userAgent: userAgentOf(device, version),
    acceptLanguage: location?.languages.join(',') ?? ENGLISH,
    platform: platformOf(device),
    ...(userAgentMetadata && { userAgentMetadata }),
  };
}

interface Emulated {
  readonly device: Device;
  readonly agent: Agent;
  readonly locale: string;
}

async function emulateDevice(session: CdpSession, { device, agent, locale }: Emulated): Promise<void> {
  const { width, height } = device.viewport;
  await Promise.all([
    session.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
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
    session.send('Emulation.setTouchEmulationEnabled', { enabled: device.touch }),
    session.send('Emulation.setLocaleOverride', { locale }),
    session.send('Emulation.setUserAgentOverride', agent),
    session.send('Page.setFontFamilies', { fontFamilies: FONT_FAMILIES }),
    session.send('Page.setBypassCSP', { enabled: true }),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: BLOCK_SERVICE_WORKERS }),
  ]);
}

interface Located {
  readonly browser: BrowserProcess;
  readonly session: CdpSession;
  readonly agent: Agent;
  readonly location: Location;
}

async function emulateLocation({ browser, session, agent, location }: Located): Promise<void> {
  const { time_zone: timezoneId, geolocation } = location;
  await Promise.all([
    session.send('Emulation.setTimezoneOverride', { timezoneId }),
    ...(geolocation ? [session.send('Emulation.setGeolocationOverride', { ...geolocation })] : []),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: BLOCK_SHARED_WORKERS }),
    followWorkers(browser, session, agent),
  ]);
}

/** Workers have the time zone and locale of their page, but not its languages. */
async function followWorkers(browser: BrowserProcess, session: CdpSession, agent: Agent): Promise<void> {
  const workers = new Map<string, CdpSession>();
  session.on('Target.attachedToTarget', ({ sessionId }) => {
    const worker = browser.cdp.session(sessionId);
    workers.set(sessionId, worker);
    const calls = [
      worker.send('Emulation.setUserAgentOverride', agent),
      followWorkers(browser, worker, agent),
      worker.send('Runtime.runIfWaitingForDebugger'),
    ];
    // A worker may end before it answers, and needs nothing then.
    for (const call of calls) call.catch((error: unknown) => void error);
  });
  session.on('Target.detachedFromTarget', ({ sessionId }) => {
    workers.get(sessionId)?.end('The worker ended');
    workers.delete(sessionId);
  });
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
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
