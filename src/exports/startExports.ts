/**
 * Builds exports. Each queue entry is one export. If the process is killed, the queue repeats the entry, and the next attempt
 * builds the file again under another key. The file of an export appears only when it is complete.
 */
import { createHash } from 'node:crypto';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ArtifactStore } from '../artifacts/store.ts';
import { readAdFindings } from '../core/ads/creativeCheck.ts';
import {
  type ExportPicture,
  readExportFailures,
  readExportPictures,
  readExportSubject,
} from '../core/exports/exportContent.ts';
import {
  type ExportRow,
  failExport,
  finishExport,
  saveExportProgress,
  startExportAttempt,
} from '../core/exports/exportQueries.ts';
import { readBranding } from '../core/organizations/branding.ts';
import { readProvenance } from '../core/sets/readScreenshots.ts';
import { ownerOf } from '../core/sets/shownVersions.ts';
import type { Database, Store } from '../db/database.ts';
import type { Queue } from '../db/queue.ts';
import { exportKey, partRange } from '../domain/exports.ts';
import { withoutQuery } from '../domain/webAddresses.ts';
import { errorMessage } from '../lib/errorMessage.ts';
import type { Log } from '../lib/log.ts';
import type { DocumentContent } from './document/elements.ts';
import { planDocument } from './document/plan.ts';
import { createPictureReader } from './pictureReader.ts';

interface BuildOptions {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
  readonly log: Log;
  /** Called after each picture. It throws if the export must stop. */
  readonly onPicture: () => Promise<void>;
}

/** Failures that a document lists at most. */
const MAX_FAILURES = 2_000;

const CONTENT_TYPES = {
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  pdf: 'application/pdf',
  zip: 'application/zip',
} as const;

export interface ExportWorkerOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly artifacts: ArtifactStore;
  readonly log: Log;
}

/** One at a time in each process, because the controller has other work and little memory. */
const CONCURRENCY = 1;
const MAX_ATTEMPTS = 5;
const PROGRESS_INTERVAL_MS = 1_000;

/** Starts the workers of the queue `export`; they stop with the queue. */
export async function startExports(options: ExportWorkerOptions): Promise<void> {
  const { queue } = options;
  await queue.work('export', { concurrency: CONCURRENCY }, async (payloads, signal) => {
    for (const { export_id } of payloads) await runExport(export_id, options, signal);
  });
}

/** Another attempt of the same export has begun. */
class SupersededExportError extends Error {}

async function runExport(id: string, options: ExportWorkerOptions, signal: AbortSignal): Promise<void> {
  const { store, log } = options;
  const row = await startExportAttempt(store.db, id);
  if (row === undefined) return;
  const { format } = row;
  const ids = { export_id: id, set_id: row.set_id, organization_id: row.organization_id, attempt: row.attempt };
  const started = performance.now();
  try {
    // Earlier attempts ended without an error, so they may have taken too much memory.
    if (row.attempt > MAX_ATTEMPTS) throw new Error('The process that built the file ended several times.');
    const file = await writeFile(row, options, signal);
    if (!(await finishExport(store.db, row, file))) throw new SupersededExportError();
    const durationMs = Math.round(performance.now() - started);
    log.info({ ...ids, format, pictures: row.total, bytes: file.bytes, durationMs }, 'export built');
  } catch (error) {
    if (error instanceof SupersededExportError) return;
    if (signal.aborted || row.attempt < MAX_ATTEMPTS) throw error;
    log.error({ ...ids, err: error }, 'the export could not be built');
    await failExport(store.db, row, `The file could not be built: ${errorMessage(error)}`);
  }
}

/** Streams the file into the artifact store. */
async function writeFile(row: ExportRow, { store, artifacts, log }: ExportWorkerOptions, signal: AbortSignal) {
  const key = exportKey(row.id, row.attempt, row.format);
  const stop = new AbortController();
  const anySignal = AbortSignal.any([signal, stop.signal]);
  const file = await buildExport(row, { db: store.db, artifacts, log, onPicture: progressOf(row, store, anySignal) });
  const sum = createHash('sha256');
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const out = new PassThrough();
  try {
    await Promise.all([
      pipeline(file, count, out, { signal: anySignal }),
      artifacts.putStream(key, out, CONTENT_TYPES[row.format]),
    ]);
  } catch (error) {
    stop.abort(error);
    throw error;
  }
  return { key, bytes, sha256: sum.digest('hex') };
}

function progressOf(row: ExportRow, { db }: Store, signal: AbortSignal): () => Promise<void> {
  let [done, savedAt] = [0, performance.now()];
  return async () => {
    signal.throwIfAborted();
    done += 1;
    if (performance.now() - savedAt < PROGRESS_INTERVAL_MS) return;
    savedAt = performance.now();
    if (!(await saveExportProgress(db, row, done))) throw new SupersededExportError();
  };
}

/** @throws Error if the set no longer has pictures. */
export async function buildExport(row: ExportRow, { db, artifacts, log, onPicture }: BuildOptions): Promise<Readable> {
  const content = await readContent(row, db);
  const { options } = content;
  const reader = createPictureReader(artifacts, options, log);
  if (options.format === 'zip') {
    const { writeZip } = await import('./zip/writeZip.ts');
    const recordsOf = (ids: readonly string[]) => readProvenance(db, ids);
    return writeZip({ content, reader, recordsOf, onPicture });
  }
  const extension = options.pictures === 'original' ? 'png' : 'jpeg';
  const documentOptions = { id: row.id, plan: planDocument(content), reader, extension, onPicture } as const;
  if (options.format === 'pptx') return (await import('./pptx/writePptx.ts')).writePptx(documentOptions);
  return (await import('./pdf/writePdf.ts')).writePdf(documentOptions);
}

async function readContent(row: ExportRow, db: Database): Promise<DocumentContent> {
  const { organization_id: organizationId, options } = row;
  const of = { ...ownerOf(row), options };
  const subject = await readExportSubject(db, { ...of, organizationId });
  const pictures = await readExportPictures(db, of, partRange(options));
  const isShared = options.audience === 'shared';
  if (subject === undefined || pictures.length === 0) throw new Error('There are no pictures.');
  const branding = await readBranding(db, organizationId);
  const isInternal = options.failures && !isShared;
  const ids = pictures.flatMap(({ id, other_ids }) => [id, ...other_ids]);
  return {
    campaign: subject.campaign,
    brandName: branding.brand_name ?? subject.slug,
    branding,
    clientLogo: subject.clientLogo,
    options,
    parts: row.parts,
    pictures: isShared ? pictures.map(withPublicAddress) : pictures,
    failures: isInternal ? await readExportFailures(db, of, MAX_FAILURES) : [],
    findings: isInternal ? await readAdFindings(db, ids) : [],
  };
}

function withPublicAddress(picture: ExportPicture): ExportPicture {
  return { ...picture, final_url: withoutQuery(picture.final_url ?? picture.site_url) };
}
