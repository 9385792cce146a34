import type { ExportOptions } from '../../domain/exports.ts';
import type { ExportFailure, ExportPicture } from '../../store/exports/exportContent.ts';
import type { BrandingRow } from '../../store/organizations/branding.ts';

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
