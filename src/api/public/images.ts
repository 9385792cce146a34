import type { RequestHandler } from 'express';
import { ArtifactNotFoundError, type ArtifactStore } from '../../artifacts/store.ts';
import { notFound } from '../../domain/failure.ts';
import type { Database } from '../../store/database/database.ts';
import { findImage } from '../../store/images/images.ts';

const URL_SECONDS = 3_600;

/** GET /i/{token}.png: sends the picture, or redirects to the bucket. It needs no key, because the token cannot be guessed. */
export function serveImage(db: Database, artifacts: ArtifactStore): RequestHandler {
  return async (request, response) => {
    const token = String(request.params['file']).replace(/\.png$/, '');
    const image = /^[A-Za-z0-9_-]{1,128}$/.test(token) ? await findImage(db, token) : undefined;
    if (image === undefined) throw gone();
    const etag = `"${image.sha256}"`;
    // The picture of a token never changes.
    response.set({
      ETag: etag,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Type': image.content_type,
    });
    if (matches(request.get('if-none-match'), etag)) {
      response.status(304).end();
      return;
    }
    const url = await artifacts.downloadUrl(image.artifact_key, { expiresInSeconds: URL_SECONDS, forClient: true });
    if (url !== undefined) {
      response.set('Cache-Control', `private, max-age=${URL_SECONDS / 2}`).removeHeader('ETag');
      response.redirect(302, url);
      return;
    }
    const { bytes } = await artifacts.get(image.artifact_key).catch((error: unknown) => {
      throw error instanceof ArtifactNotFoundError ? gone() : error;
    });
    response.set('Content-Length', String(bytes.length)).end(request.method === 'HEAD' ? undefined : bytes);
  };
}

function matches(sent: string | undefined, etag: string): boolean {
  return (sent ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*');
}

const gone = () => notFound('token', 'This picture does not exist or was deleted.');
