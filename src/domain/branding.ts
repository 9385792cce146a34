/** The look that an organization gives to its exports. */

export const PAGE_SIZES = ['16:9', 'a4', 'letter'] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

/** Width and height in points (1/72 inch). Paper is upright, slides lie. */
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

export const DEFAULT_BRANDING: Branding = {
  brand_name: null,
  accent_color: DEFAULT_ACCENT,
  footer_text: null,
  page_size: '16:9',
};

/** @returns black or white, whichever is easier to read on this color. */
export function inkOn(color: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => linear(Number.parseInt(color.slice(at, at + 2), 16)));
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  // The contrast with white is higher below this luminance.
  return luminance < 0.179 ? '#ffffff' : '#000000';
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
