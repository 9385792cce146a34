/** The devices a client can name, as the service emulates them. Viewports are CSS pixels. */

export interface Device {
  readonly name: DeviceName;
  readonly viewport: { readonly width: number; readonly height: number };
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  readonly touch: boolean;
  /** Which user agent the device sends; see {@link userAgentOf}. */
  readonly agent: 'windows' | 'android-phone' | 'android-tablet' | 'iphone' | 'ipad';
  /** The model that Android devices put into their user agent. */
  readonly model: string;
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
] as const;

export type DeviceName = (typeof TABLE)[number]['name'];

export const DEVICES: readonly Device[] = TABLE;

export const DEVICE_NAMES: readonly DeviceName[] = TABLE.map((device) => device.name);

/** @returns the device of that exact name, or undefined. */
export function findDevice(name: string): Device | undefined {
  return DEVICES.find((device) => device.name === name);
}

/**
 * The user agent a device sends. Chrome's reduced form for Chrome devices, with the major version of the
 * browser that runs; Safari's own for Apple's.
 * @param chromeVersion full version of the running browser, for example `156.0.8078.73`.
 */
export function userAgentOf(device: Device, chromeVersion: string): string {
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
