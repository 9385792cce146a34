import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import { ArtifactNotFoundError } from '../../artifacts/store.ts';
import { findExportFile } from '../../core/exports/exportQueries.ts';
import { wasRemoved } from '../../core/journal/tombstones.ts';
import { findImage, type Image } from '../../core/sets/images.ts';
import type { Database } from '../../db/database.ts';
import { disabledOrganization, type Failure, gone, notFound } from '../../domain/failure.ts';
import { THUMBNAILS, thumbnailName } from '../../domain/thumbnails.ts';
import { costOfPicture } from '../limits/costs.ts';
import { createThumbnails } from '../thumbnails/thumbnails.ts';
import { hasTag } from './endpoint.ts';
import { createFramedImages, type FramedImages } from './framedImages.ts';
import type { Services } from './services.ts';

/** A large file may take this long to download from the bucket. */
const URL_SECONDS = 3_600;

type ImageOptions = Pick<Services, 'store' | 'artifacts' | 'openLimits'>;

const FOREVER = 'public, max-age=31536000, immutable';

/**
 * GET /i/{token}.png, and .webp or .gif for an animation: sends the picture, or redirects to the bucket. It needs no key, because the token cannot be guessed.
 * With `?frame=browser` or `?frame=device` it sends the picture in a frame; with `&label=false`, without its label.
 */
export function serveImage({ store: { db }, artifacts, openLimits }: ImageOptions): RequestHandler {
  const framedImages = createFramedImages(db, artifacts);
  return async (request, response) => {
    openLimits?.takeOfAddress(request, response, costOfPicture(request.query['frame'] !== undefined));
    const [, token = '', format = 'png'] = /^(.*?)(?:\.(png|webp|gif))?$/.exec(String(request.params['file'])) ?? [];
    const image = await findByToken(db, token);
    if (image.content_type !== `image/${format}`) throw unknownPicture();
    const { key, etag } = await fileOf(image, request.query, framedImages);
    if (isKnown(request, response, { etag, type: image.content_type })) return;
    const url = await artifacts.downloadUrl(key, { expiresInSeconds: URL_SECONDS, forClient: true });
    if (url !== undefined) {
      response.set('Cache-Control', `private, max-age=${URL_SECONDS / 2}`).removeHeader('ETag');
      response.redirect(302, url);
      return;
    }
    const { bytes } = await artifacts.get(key).catch(rejectMissing);
    response.set('Content-Length', String(bytes.length)).end(request.method === 'HEAD' ? undefined : bytes);
  };
}

/** GET /i/{token}/{width}.webp and whole-{width}.webp: sends a thumbnail of the picture, under the same rules. */
export function serveThumbnail({ store: { db }, artifacts, openLimits }: ImageOptions): RequestHandler {
  const thumbnails = createThumbnails(db, artifacts);
  return async (request, response) => {
    const thumbnail = THUMBNAILS.find((each) => thumbnailName(each) === request.params['file']);
    if (thumbnail === undefined) throw noSuchThumbnail();
    openLimits?.takeOfAddress(request, response, costOfPicture(false));
    const image = await findByToken(db, String(request.params['token']));
    if (image.content_type !== 'image/png') throw unknownPicture();
    const etag = `"${image.sha256}-${thumbnailName(thumbnail)}"`;
    if (isKnown(request, response, { etag, type: 'image/webp' })) return;
    const webp = await thumbnails.read(image, thumbnail).catch(rejectMissing);
    response.set('Content-Length', String(webp.length)).end(request.method === 'HEAD' ? undefined : webp);
  };
}

function noSuchThumbnail(): Failure {
  return notFound('path', `There is no such thumbnail: use one of ${THUMBNAILS.map(thumbnailName).join(', ')}.`);
}

async function findByToken(db: Database, token: string): Promise<Image> {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(token)) throw unknownPicture();
  const image = await findImage(db, token);
  if (image === undefined) {
    const isRemoved = await wasRemoved(db, { id: token });
    throw isRemoved ? gone('token', 'This picture was removed with its set.') : unknownPicture();
  }
  if (image.is_disabled) throw disabledOrganization();
  return image;
}

async function fileOf(
  image: Image,
  query: Request['query'],
  framedImages: FramedImages,
): Promise<{ key: string; etag: string }> {
  if (query['frame'] === undefined) return { key: image.artifact_key, etag: `"${image.sha256}"` };
  return framedImages.keyOf(image, query).catch(rejectMissing);
}

/** Answers 304 if the client has the picture already. That of an address never changes. */
function isKnown(request: Request, response: Response, { etag, type }: { etag: string; type: string }): boolean {
  response.set({ ETag: etag, 'Cache-Control': FOREVER, 'Content-Type': type });
  if (!hasTag(request, etag)) return false;
  response.status(304).end();
  return true;
}

function rejectMissing(error: unknown): never {
  throw error instanceof ArtifactNotFoundError ? unknownPicture() : error;
}

const unknownPicture = () => notFound('token', 'This picture does not exist or was deleted.');

/** GET /e/{token}/{name}: streams the file of an export, or redirects to the bucket. It needs no key, because the token cannot be guessed. */
export function serveExport({
  store: { db },
  artifacts,
  openLimits,
}: Pick<Services, 'store' | 'artifacts' | 'openLimits'>): RequestHandler {
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
