import type { ExportFailure, ExportPicture } from '../../core/exports/exportContent.ts';
import type { BrandingRow } from '../../core/organizations/branding.ts';
import type { ExportOptions } from '../../domain/exports.ts';

/** Everything that a document shows, without the bytes of its pictures. */
export interface DocumentContent {
  readonly campaign: string;
  /** Name of the organization: its brand name, or its slug. */
  readonly brandName: string;
  readonly branding: BrandingRow;
  readonly options: ExportOptions;
  readonly parts: number;
  readonly pictures: readonly ExportPicture[];
  /** Empty unless the options ask for them. */
  readonly failures: readonly ExportFailure[];
}
