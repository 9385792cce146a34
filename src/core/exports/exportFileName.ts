import { type ExportOptions, partsOf } from '../../domain/exports.ts';
import { safeWord } from '../../domain/fileNames.ts';
import type { ExportSubject } from './exportContent.ts';

const MAX_CAMPAIGN = 60;

/** @returns for example `Spring-2026-11-21.pptx`, or `Spring-2026-11-21-part-2.pptx` if there are several parts. */
export function exportFileName(
  { campaign, createdAt, pictures }: Pick<ExportSubject, 'campaign' | 'createdAt' | 'pictures'>,
  { format, part, frame }: Pick<ExportOptions, 'format' | 'part' | 'frame'>,
): string {
  const parts = partsOf(format, pictures) > 1 ? [`part-${part}`] : [];
  const framed = frame === 'none' ? [] : [frame];
  const name = safeWord(campaign, MAX_CAMPAIGN) || 'placement-previews';
  return `${[name, createdAt.toISOString().slice(0, 10), ...framed, ...parts].join('-')}.${format}`;
}
