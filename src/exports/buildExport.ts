/** Builds the file of one export as a stream. */
import type { Readable } from 'node:stream';
import type { ArtifactStore } from '../artifacts/store.ts';
import {
  type ExportPicture,
  readExportFailures,
  readExportPictures,
  readExportSubject,
} from '../core/exports/exportContent.ts';
import type { ExportRow } from '../core/exports/exportQueries.ts';
import { readBranding } from '../core/organizations/branding.ts';
import { readProvenance } from '../core/sets/readScreenshots.ts';
import type { Database } from '../db/database.ts';
import { partRange } from '../domain/exports.ts';
import { withoutQuery } from '../domain/webAddresses.ts';
import type { DocumentContent } from './document/content.ts';
import { planDocument } from './document/plan.ts';
import { createPictureReader } from './pictureReader.ts';

export interface BuildOptions {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
  /** Called after each picture with their number. It throws if the export must stop. */
  readonly onProgress: (done: number) => Promise<void>;
}

/** Failures that a document lists at most. */
const MAX_FAILURES = 2_000;

export const CONTENT_TYPES = {
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  pdf: 'application/pdf',
  zip: 'application/zip',
} as const;

/** @throws Error if the set has no pictures any more. */
export async function buildExport(row: ExportRow, { db, artifacts, onProgress }: BuildOptions): Promise<Readable> {
  const content = await readContent(row, db);
  const { options } = content;
  const reader = createPictureReader(artifacts, options);
  let done = 0;
  const onPicture = () => {
    done += 1;
    return onProgress(done);
  };
  if (options.format === 'zip') {
    const { writeZip } = await import('./zip/writeZip.ts');
    const recordsOf = (ids: readonly string[]) => readProvenance(db, ids);
    return writeZip({ content, reader, recordsOf, onPicture });
  }
  const extension = options.pictures === 'original' ? 'png' : 'jpeg';
  const documentOptions = { plan: planDocument(content), reader, extension, onPicture } as const;
  if (options.format === 'pptx') return (await import('./pptx/writePptx.ts')).writePptx(documentOptions);
  return (await import('./pdf/writePdf.ts')).writePdf(documentOptions);
}

async function readContent(row: ExportRow, db: Database): Promise<DocumentContent> {
  const { set_id: setId, organization_id: organizationId, options } = row;
  const subject = await readExportSubject(db, { setId, organizationId, options });
  const pictures = await readExportPictures(db, { setId, options }, partRange(options));
  const isShared = options.audience === 'shared';
  if (subject === undefined || pictures.length === 0) throw new Error('The set has no pictures.');
  const branding = await readBranding(db, organizationId);
  return {
    campaign: subject.campaign,
    brandName: branding.brand_name ?? subject.slug,
    branding,
    options,
    parts: row.parts,
    pictures: isShared ? pictures.map(withPublicAddress) : pictures,
    failures: options.failures && !isShared ? await readExportFailures(db, { setId, options }, MAX_FAILURES) : [],
  };
}

function withPublicAddress(picture: ExportPicture): ExportPicture {
  return { ...picture, final_url: withoutQuery(picture.final_url ?? picture.site_url) };
}
