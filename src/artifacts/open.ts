import { fileURLToPath } from 'node:url';
import { FolderStore } from './folder.ts';
import { type S3Options, S3Store } from './s3.ts';
import type { ArtifactStore } from './store.ts';

/** Opens `file:///folder` or `s3://bucket/prefix`. @throws Error for any other address. */
export function openArtifacts(url: string, s3: S3Options = {}): ArtifactStore {
  const place = URL.canParse(url) ? new URL(url) : undefined;
  if (place?.protocol === 'file:' && place.host === '') return new FolderStore(fileURLToPath(place));
  if (place?.protocol === 's3:' && place.hostname !== '') {
    const prefix = decodeURIComponent(place.pathname).replace(/^\/+|\/+$/g, '');
    return new S3Store({ bucket: place.hostname, prefix }, s3);
  }
  throw new Error(`"${url}" is no place for artifacts: it must be file:///folder or s3://bucket/prefix.`);
}
