/** The devices that the service emulates: those a client can name, and custom ones. Viewports are CSS pixels. */

export interface Device {
  /** The name of a custom device encodes all its properties, as {@link ownDeviceName} writes it. */
  readonly name: DeviceName;
  readonly viewport: { readonly width: number; readonly height: number };
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  readonly touch: boolean;
  /** Which user agent the device sends; see {@link userAgentOf}. */
  readonly agent: 'windows' | 'android-phone' | 'android-tablet' | 'iphone' | 'ipad';
  /** The model that Android devices put into their user agent. */
  readonly model: string;
  /** The user agent that the client set for its custom device. */
  readonly userAgent?: string | undefined;
}

const row = <const N extends string>(
  name: N,
  [width, height]: readonly [number, number],
  ratio: number,
  agent: Device['agent'],
  model = '',
) => ({ name, viewport: { width, height }, ratio, touch: agent !== 'windows', agent, model });

const TABLE = [
  row('desktop', [1440, 900], 1, 'windows'),
  row('mobile', [360, 800], 3, 'android-phone', 'K'),
  row('iphone', [390, 844], 3, 'iphone'),
  row('tablet', [800, 1280], 2, 'android-tablet', 'K'),
  row('ipad', [810, 1080], 2, 'ipad'),
  row('Apple iPad', [768, 1024], 2, 'ipad'),
  row('Apple iPhone 5', [320, 568], 2, 'iphone'),
  row('Apple iPhone 6', [375, 667], 2, 'iphone'),
  row('Apple iPhone 6 Plus', [414, 736], 3, 'iphone'),
  row('Apple iPhone X', [375, 812], 3, 'iphone'),
  row('Apple iPhone 14 Pro Max', [430, 932], 3, 'iphone'),
  row('Google Nexus 10', [800, 1280], 2, 'android-tablet', 'Nexus 10'),
  row('Google Nexus 5', [360, 640], 3, 'android-phone', 'Nexus 5'),
  row('Google Nexus 6', [412, 732], 3.5, 'android-phone', 'Nexus 6'),
  row('Google Pixel 4', [353, 745], 2.75, 'android-phone', 'Pixel 4'),
  row('Samsung Galaxy S10', [360, 760], 4, 'android-phone', 'SM-G973F'),
  row('Apple iPhone 16', [393, 852], 3, 'iphone'),
  row('Apple iPhone 16 Pro Max', [440, 956], 3, 'iphone'),
  // Ratios have at most two digits after the point: frames of creatives are stored by it.
  row('Google Pixel 9', [412, 923], 2.63, 'android-phone', 'Pixel 9'),
  row('Samsung Galaxy S25', [360, 780], 3, 'android-phone', 'SM-S931B'),
  row('Apple iPad Air 11', [820, 1180], 2, 'ipad'),
  row('Laptop 1366x768', [1366, 768], 1, 'windows'),
  row('Full HD 1920x1080', [1920, 1080], 1, 'windows'),
] as const;

export type NamedDevice = (typeof TABLE)[number]['name'];
export type DeviceName = NamedDevice | `${typeof OWN} ${string}`;

export const DEVICES: readonly Device[] = TABLE;

export const DEVICE_NAMES: readonly NamedDevice[] = TABLE.map((device) => device.name);

const OWN = 'Own device';
const OWN_NAME = /^Own device (\d{1,5}) x (\d{1,5}), (\d(?:\.\d{1,2})?)x(, touch)?(?:, (.+))?$/;

/** A device that a client describes. */
export interface OwnDevice {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly touch: boolean;
  readonly userAgent?: string | undefined;
}

/** The bounds of custom devices. With the most pixels, a picture takes 33 MB of memory. */
export const OWN_DEVICE = {
  width: { min: 200, max: 3_840 },
  height: { min: 200, max: 4_320 },
  ratio: { min: 1, max: 4 },
  pixels: 3_840 * 2_160,
  userAgent: 500,
} as const;

/** A screen that is narrower has touch, and one that is narrower than this and has touch is a phone. */
export const TOUCH_BELOW = 1_024;
const PHONE_BELOW = 600;

/** The ratio is 1 unless given, and a screen below 1,024 pixels has touch. */
export function completeOwnDevice(
  given: Pick<OwnDevice, 'width' | 'height' | 'userAgent'> & {
    ratio?: number | undefined;
    touch?: boolean | undefined;
  },
): OwnDevice {
  const { width, height, ratio = 1, touch = width < TOUCH_BELOW, userAgent } = given;
  return { width, height, ratio, touch, userAgent };
}

/** @returns why the service cannot emulate the device, by the name of the field in the API; empty if it can. */
export function ownDeviceFaults({ width, height, ratio, userAgent }: OwnDevice): Readonly<Record<string, string>> {
  const faults: Record<string, string> = {};
  for (const [name, value] of Object.entries({ width, height, ratio })) {
    const range = OWN_DEVICE[name as 'width' | 'height' | 'ratio'];
    if (value < range.min || value > range.max) faults[name] = rangeFault(range);
  }
  const pixels = Math.round(width * height * rounded(ratio) ** 2);
  if (Object.keys(faults).length === 0 && pixels > OWN_DEVICE.pixels)
    faults['ratio'] =
      `makes a screen of ${figure(pixels)} device pixels with this width and height: at most ${figure(OWN_DEVICE.pixels)} are possible.`;
  const agentFault = userAgent === undefined ? undefined : userAgentFault(userAgent);
  if (agentFault !== undefined) faults['user_agent'] = agentFault;
  return faults;
}

export function rangeFault({ min, max }: { readonly min: number; readonly max: number }): string {
  return `must be from ${figure(min)} to ${figure(max)}.`;
}

export function userAgentFault(text: string): string | undefined {
  if (/[^\x20-\x7e]/.test(text)) return 'must have only printable ASCII characters.';
  if (text.trim() !== '' && text.length <= OWN_DEVICE.userAgent) return undefined;
  return `must have 1 to ${OWN_DEVICE.userAgent} characters, or be left out.`;
}

const figure = (value: number) => value.toLocaleString('en');
const rounded = (ratio: number) => Math.round(ratio * 100) / 100;

/** @returns the name that the service stores and {@link findDevice} reads, for example `Own device 412 x 915, 2.63x, touch`. */
export function ownDeviceName({ width, height, ratio, touch, userAgent }: OwnDevice): DeviceName {
  const agent = userAgent === undefined ? '' : `, ${userAgent.trim()}`;
  return `${OWN} ${width} x ${height}, ${rounded(ratio)}x${touch ? ', touch' : ''}${agent}`;
}

/** @returns undefined for the name of any other device. */
export function ownDeviceOf(name: string): OwnDevice | undefined {
  const [match, width, height, ratio, touch, userAgent] = OWN_NAME.exec(name) ?? [];
  if (match === undefined) return undefined;
  const own = {
    width: Number(width),
    height: Number(height),
    ratio: Number(ratio),
    touch: touch !== undefined,
    userAgent,
  };
  return Object.keys(ownDeviceFaults(own)).length === 0 ? own : undefined;
}

/** @returns the device of that exact name, or undefined. */
export function findDevice(name: string): Device | undefined {
  const own = ownDeviceOf(name);
  return own === undefined ? DEVICES.find((device) => device.name === name) : emulated(own);
}

function emulated(own: OwnDevice): Device {
  const { width, height, ratio, touch, userAgent } = own;
  const agent = agentOf(own);
  const model = agent.startsWith('android') ? 'K' : '';
  return { name: ownDeviceName(own), viewport: { width, height }, ratio, touch, agent, model, userAgent };
}

function agentOf({ width, height, touch, userAgent = '' }: OwnDevice): Device['agent'] {
  if (/iPhone/.test(userAgent)) return 'iphone';
  if (/iPad/.test(userAgent)) return 'ipad';
  if (!touch) return 'windows';
  return Math.min(width, height) < PHONE_BELOW ? 'android-phone' : 'android-tablet';
}

export type DeviceGroup = 'desktop' | 'phone' | 'tablet';

export function deviceGroup({ agent }: Pick<Device, 'agent'>): DeviceGroup {
  if (agent === 'windows') return 'desktop';
  return agent === 'ipad' || agent === 'android-tablet' ? 'tablet' : 'phone';
}

/** The devices that a form offers first, in this order: their names for people, and what they are. */
export const COMMON_DEVICES: ReadonlyMap<string, { readonly short: string; readonly words: string }> = new Map([
  ['desktop', { short: 'Desktop', words: 'A common computer screen' }],
  ['mobile', { short: 'Android phone', words: 'A common Android phone' }],
  ['iphone', { short: 'iPhone', words: 'An iPhone 14' }],
  ['tablet', { short: 'Android tablet', words: 'An Android tablet' }],
  ['ipad', { short: 'iPad', words: 'An iPad of 10.2 inches' }],
]);

const GROUPS: Readonly<Record<DeviceGroup, string>> = {
  desktop: 'A computer',
  phone: 'A phone',
  tablet: 'A tablet',
};

/** @returns a short explanation, for example `A common Android phone, 360 x 800`. */
export function describeDevice(device: Device): string {
  const { width, height } = device.viewport;
  return `${COMMON_DEVICES.get(device.name)?.words ?? GROUPS[deviceGroup(device)]}, ${width} x ${height}`;
}

/**
 * @param text a name in any case, with or without its maker, a word such as "phone", or a size such as `1440x900` or `412x915@2.63`.
 * @returns the device that a person means, or undefined.
 */
export function deviceMeant(text: string): Device | undefined {
  const [, width, height, ratio] =
    /^\s*(\d{3,4})\s*[x×*]\s*(\d{3,4})(?:\s*@\s*(\d(?:\.\d+)?)x?)?\s*$/i.exec(text) ?? [];
  if (width !== undefined)
    return sizeMeant({
      width: Number(width),
      height: Number(height),
      ratio: ratio === undefined ? undefined : Number(ratio),
    });
  const words = wordsOf(text);
  const named = DEVICES.find(({ name }) => wordsOf(name) === words || wordsOf(name).replace(MAKERS, '') === words);
  return findDevice(text.trim()) ?? named ?? findDevice(MEANT.find(([pattern]) => pattern.test(words))?.[1] ?? '');
}

function sizeMeant(size: { width: number; height: number; ratio: number | undefined }): Device | undefined {
  const named = DEVICES.find(
    ({ viewport, ratio }) =>
      viewport.width === size.width && viewport.height === size.height && (size.ratio ?? ratio) === ratio,
  );
  return named ?? findDevice(ownDeviceName(completeOwnDevice(size)));
}

const MAKERS = /^(apple|google|samsung) /;

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Words of media plans, also German and French, for the common devices. The first that fits counts. */
const MEANT: readonly (readonly [RegExp, NamedDevice])[] = [
  [/^(apple )?ipads?$/, 'ipad'],
  [/^(apple )?iphones?( 14)?$|^ios$/, 'iphone'],
  [/^(android )?(tablets?|tablettes?)$/, 'tablet'],
  [
    /^(android|mobile|mobil|mobiles|smartphones?|handys?|téléphones?|phones?|mobile phones?|mobile web|mobile site|mweb|android phones?)$/,
    'mobile',
  ],
  [/^(desktops?|pc|web|computers?|laptops?|notebooks?|ordinateurs?|desktop web|stationary?|stationär)$/, 'desktop'],
];

/**
 * The user agent a device sends: that of the client if it gave one. Otherwise it is Chrome's reduced form for Chrome devices,
 * with the major version of the browser that runs, and Safari's own for Apple's.
 * @param chromeVersion full version of the running browser, for example `156.0.8078.73`.
 */
export function userAgentOf(device: Device, chromeVersion: string): string {
  if (device.userAgent !== undefined) return device.userAgent;
  const chrome = `Chrome/${chromeVersion.split('.')[0]}.0.0.0`;
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  switch (device.agent) {
    case 'windows':
      return `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} ${chrome} Safari/537.36`;
    case 'android-phone':
      return `Mozilla/5.0 (Linux; Android 10; ${device.model}) ${webkit} ${chrome} Mobile Safari/537.36`;
    case 'android-tablet':
      return `Mozilla/5.0 (Linux; Android 10; ${device.model}) ${webkit} ${chrome} Safari/537.36`;
    case 'iphone':
      return 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
    case 'ipad':
      return 'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
  }
}

/** @returns the name for people, such as `Android phone` or `Own device 412 x 915`. */
export function shortDevice(name: string): string {
  const own = ownDeviceOf(name);
  return own === undefined ? (COMMON_DEVICES.get(name)?.short ?? name) : `${OWN} ${own.width} x ${own.height}`;
}
