/** The look that an organization gives to its exports. */

export const PAGE_SIZES = ['16:9', 'a4', 'letter'] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

/** Width and height in points (1/72 inch). Paper is portrait, slides are landscape. */
export const PAGE_POINTS: Readonly<Record<PageSize, readonly [number, number]>> = {
  '16:9': [960, 540],
  a4: [595, 842],
  letter: [612, 792],
};

export const BRAND_NAME_MAX = 120;
export const FOOTER_MAX = 300;
export const DEFAULT_ACCENT = '#1f4e79';

export interface Branding {
  /** The name on the cover; null shows the slug of the organization. */
  readonly brand_name: string | null;
  /** `#rrggbb`. */
  readonly accent_color: string;
  readonly footer_text: string | null;
  readonly page_size: PageSize;
}

/** A stored picture. */
export interface Logo {
  readonly token: string;
  readonly key: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

export const DEFAULT_BRANDING: Branding = {
  brand_name: null,
  accent_color: DEFAULT_ACCENT,
  footer_text: null,
  page_size: '16:9',
};

/** @returns black or white, whichever is easier to read on this color. */
export function inkOn(color: string): '#000000' | '#ffffff' {
  // The contrast with white is higher below this luminance.
  return luminanceOf(channelsOf(color)) < 0.179 ? '#ffffff' : '#000000';
}

/** A link stays readable on a ground that has some of its color. */
const CONTRAST = 6;
const STEPS = 20;

/** @returns the color, as far as necessary mixed with black or white, so that text in it is readable on this ground. */
export function readableOn(color: string, ground: '#f7f7f5' | '#1b1e21'): string {
  const [own, below] = [channelsOf(color), luminanceOf(channelsOf(ground))];
  const end = below > 0.5 ? 0 : 255;
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = own.map((channel) => Math.round(channel + ((end - channel) * step) / STEPS));
    const [dark = 0, light = 0] = [below, luminanceOf(mixed)].toSorted((a, b) => a - b);
    if ((light + 0.05) / (dark + 0.05) >= CONTRAST) return hexOf(mixed);
  }
  return hexOf([end, end, end]);
}

const channelsOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
const hexOf = (channels: readonly number[]) => `#${channels.map((one) => one.toString(16).padStart(2, '0')).join('')}`;

function luminanceOf(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map(linear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
