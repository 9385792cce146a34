import { fileURLToPath } from 'node:url';
import { FolderArtifactStore } from './folder.ts';
import { S3ArtifactStore, type S3StoreOptions } from './s3.ts';
import type { ArtifactStore } from './store.ts';

/** Opens `file:///folder` or `s3://bucket/prefix`. @throws Error for any other URL. */
export function openArtifacts(url: string, s3: S3StoreOptions = {}): ArtifactStore {
  const place = URL.canParse(url) ? new URL(url) : undefined;
  if (place?.protocol === 'file:' && place.host === '') return new FolderArtifactStore(fileURLToPath(place));
  if (place?.protocol === 's3:' && place.hostname !== '') {
    const prefix = decodeURIComponent(place.pathname).replace(/^\/+|\/+$/g, '');
    return new S3ArtifactStore({ bucket: place.hostname, prefix }, s3);
  }
  throw new Error(`"${url}" is not an artifact store. Use file:///folder or s3://bucket/prefix.`);
}
