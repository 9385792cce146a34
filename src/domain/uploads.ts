import { CREATIVE_FORMATS } from './ads.ts';
import { cutCodePoints, storable } from './text.ts';

/** The formats of files: those of creatives, and a page that a browser saved. */
export const UPLOAD_FORMATS = [...CREATIVE_FORMATS, 'mhtml'] as const;
export type UploadFormat = (typeof UPLOAD_FORMATS)[number];

/** The formats of files that can be shown as a page. */
export const GIVEN_PAGE_FORMATS = ['image', 'html', 'html5_zip', 'mhtml'] as const satisfies readonly UploadFormat[];
export type GivenPageFormat = (typeof GIVEN_PAGE_FORMATS)[number];

/** A picture of a long page at the highest pixel ratio has a hundred million pixels. */
export const GIVEN_PAGE_LIMITS = { pixels: 200_000_000, parts: 2_000 };

const SCREENSHOT_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp'];

/** Whether a file can be shown as a page. */
export function isPageFile(format: UploadFormat, contentType: string): format is GivenPageFormat {
  return format === 'image' ? SCREENSHOT_TYPES.includes(contentType) : GIVEN_PAGE_FORMATS.some((one) => one === format);
}

const UPLOAD_NAME_MAX = 255;
const WITHOUT_NAME = 'upload';

/** Limits of the uploads of one organization. */
export interface UploadLimits {
  /** The most uploads that no ad uses, and their bytes. */
  readonly unused: number;
  readonly unusedBytes: number;
}

export const DEFAULT_UPLOAD_LIMITS: UploadLimits = {
  unused: 1_000,
  unusedBytes: 10 * 1024 ** 3,
};

/** @returns the key of the artifact. It contains no part of the name that the client gave. */
export const uploadKey = (id: string) => `uploads/${id}`;

/** @returns a file name without folders, control characters and marks that reverse the direction of text. */
export function uploadName(given: string): string {
  const name = storable(given.split(/[\\/]/).at(-1) ?? '')
    .replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')
    .trim();
  return /^\.*$/.test(name) ? WITHOUT_NAME : cutCodePoints(name, UPLOAD_NAME_MAX);
}
