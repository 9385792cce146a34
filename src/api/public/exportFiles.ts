import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import { ArtifactNotFoundError } from '../../artifacts/store.ts';
import { findExportFile } from '../../core/exports/exportQueries.ts';
import { disabledOrganization, gone, notFound } from '../../domain/failure.ts';
import type { PublicApiOptions } from './options.ts';

/** A large file may take this long to download from the bucket. */
const URL_SECONDS = 3_600;

/** GET /e/{token}/{name}: streams the file of an export, or redirects to the bucket. It needs no key, because the token cannot be guessed. */
export function serveExport({
  store: { db },
  artifacts,
  openLimits,
}: Pick<PublicApiOptions, 'store' | 'artifacts' | 'openLimits'>): RequestHandler {
  return async (request, response) => {
    openLimits?.takeOfAddress(request, response);
    const token = String(request.params['token']);
    const row = /^[A-Za-z0-9_-]{32}$/.test(token) ? await findExportFile(db, token) : undefined;
    if (row === undefined || row.artifact_key === null) throw unknownFile();
    if (row.is_disabled) throw disabledOrganization();
    if (row.has_expired) throw gone('token', 'This file has expired. Request the export again.');
    const { artifact_key: key, file_name: fileName } = row;
    response.set({ 'Cache-Control': 'private, no-store', 'X-Robots-Tag': 'noindex' });
    const url = await artifacts.downloadUrl(key, { expiresInSeconds: URL_SECONDS, fileName, forClient: true });
    if (url !== undefined) {
      response.redirect(302, url);
      return;
    }
    const { bytes, contentType, size } = await artifacts.getStream(key).catch((error: unknown) => {
      throw error instanceof ArtifactNotFoundError ? unknownFile() : error;
    });
    response.set({
      'Content-Type': contentType,
      'Content-Length': String(size),
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    });
    if (request.method === 'HEAD') {
      bytes.destroy();
      response.end();
      return;
    }
    await pipeline(bytes, response).catch((error: unknown) => {
      // The client ended the download.
      if (!response.writableFinished && response.destroyed) return;
      throw error;
    });
  };
}

const unknownFile = () => notFound('token', 'This file does not exist. Request the export again.');
