/** Exports: files that hold the pictures of one set, for people who do not use the service. */
import type { PageSize } from './branding.ts';
import type { Frame } from './frames.ts';
import type { Language } from './texts/languages.ts';

export const EXPORT_FORMATS = ['pptx', 'pdf', 'zip'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_STATUSES = ['pending', 'building', 'ready', 'failed', 'expired'] as const;

/** `standard`: JPEG with as many pixels as paper and screens show. `original`: the PNG as it was captured. */
export const PICTURE_QUALITIES = ['standard', 'original'] as const;
export type PictureQuality = (typeof PICTURE_QUALITIES)[number];

/**
 * For whom the file is. A file for people with a share link (`shared`) holds no more than the shared page and the names of the
 * ads. It has only approved retakes, addresses without their query, and no records.
 */
export type ExportAudience = 'organization' | 'shared';

/** A document with more pictures is slow to open, so larger sets are exported in parts. */
export const MAX_DOCUMENT_PICTURES = 500;

/** The choices for one export. The same choices for the same pictures result in the same file. */
export interface ExportOptions {
  readonly format: ExportFormat;
  readonly frame: Frame | 'none';
  /** Whether frames say "Placement preview". Only stored where it changes the file; true unless given. */
  readonly label?: false;
  readonly page_size: PageSize;
  readonly pictures: PictureQuality;
  /** IANA name of the zone in which times are written. */
  readonly time_zone: string;
  /** Only stored where it changes the file; English unless given. */
  readonly language?: Language;
  /** Whether screenshots without a picture are listed with their reasons. */
  readonly failures: boolean;
  /** From 1: which {@link MAX_DOCUMENT_PICTURES} pictures the document holds. A ZIP always has one part. */
  readonly part: number;
  readonly audience: ExportAudience;
  /** Only approved pictures, for a share link that shows no others. */
  readonly approved_only?: boolean;
  /** Ids of the only screenshots that the file shows, in this order. All unless given. */
  readonly screenshot_ids?: readonly string[];
}

/** @returns the number of parts of a document. */
export function partsOf(format: ExportFormat, pictures: number): number {
  return format === 'zip' ? 1 : Math.max(1, Math.ceil(pictures / MAX_DOCUMENT_PICTURES));
}

/** @returns the pictures of this part: the number to skip, and the number to take. */
export function partRange({ format, part }: Pick<ExportOptions, 'format' | 'part'>): { skip: number; take?: number } {
  return format === 'zip' ? { skip: 0 } : { skip: (part - 1) * MAX_DOCUMENT_PICTURES, take: MAX_DOCUMENT_PICTURES };
}

/** An offset such as `+01:00` is not a time zone. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** @returns the key of the file that one attempt to build the export writes. */
export function exportKey(id: string, attempt: number, format: ExportFormat): string {
  return `exports/${id}/${attempt}.${format}`;
}

/** @returns ASCII letters, digits and single `-`, `_` and `.`, at most `max` of them; '' if the text has none. */
export function safeWord(text: string, max: number): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/-{2,}/g, '-')
    .slice(0, max)
    .replace(/^[.-]+|[.-]+$/g, '');
}
