import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { type Artifact, ArtifactNotFoundError, type ArtifactStore, type ArtifactStream, checkKey } from './store.ts';

/**
 * Keeps artifacts as files in a folder; keys are paths. If the content type does not follow from the name, it is kept in a
 * file of the same path under `.types`.
 */
export class FolderArtifactStore implements ArtifactStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(key: string, bytes: Buffer, contentType: string): Promise<void> {
    const path = this.#path(key);
    if (contentType === contentTypeOf(key)) await rm(this.#typePath(key), { force: true });
    else await writeAtomically(this.#typePath(key), contentType);
    await writeAtomically(path, bytes);
  }

  async putStream(key: string, chunks: AsyncIterable<Buffer>, contentType: string): Promise<void> {
    const path = this.#path(key);
    if (contentType !== contentTypeOf(key)) await writeAtomically(this.#typePath(key), contentType);
    await writeAtomically(path, chunks, streamPart(path));
  }

  async get(key: string): Promise<Artifact> {
    const bytes = await readFile(this.#path(key)).catch((error: unknown) => {
      throw isMissing(error) ? new ArtifactNotFoundError(key, { cause: error }) : error;
    });
    return { bytes, contentType: await this.#contentType(key), size: bytes.byteLength };
  }

  async getStream(key: string): Promise<ArtifactStream> {
    const file = await open(this.#path(key)).catch((error: unknown) => {
      throw isMissing(error) ? new ArtifactNotFoundError(key, { cause: error }) : error;
    });
    try {
      const { size } = await file.stat();
      const contentType = await this.#contentType(key);
      return { bytes: file.createReadStream(), contentType, size };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async sizeOf(key: string): Promise<number | undefined> {
    try {
      const found = await stat(this.#path(key));
      return found.isFile() ? found.size : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
    await rm(this.#typePath(key), { force: true });
  }

  async discardStream(key: string): Promise<void> {
    await rm(streamPart(this.#path(key)), { force: true });
    await this.delete(key);
  }

  uploadRequest(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  downloadUrl(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  clientOrigin(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): void {}

  #path(key: string): string {
    return join(this.#folder, checkKey(key));
  }

  #typePath(key: string): string {
    return join(this.#folder, '.types', checkKey(key));
  }

  async #contentType(key: string): Promise<string> {
    try {
      return await readFile(this.#typePath(key), 'utf8');
    } catch (error) {
      if (isMissing(error)) return contentTypeOf(key);
      throw error;
    }
  }
}

/** Replaces a file so that there is either the old or the complete new content, even after a power failure. */
async function writeAtomically(
  path: string,
  content: Buffer | string | AsyncIterable<Buffer>,
  temporary = join(dirname(path), `.${randomUUID()}.part`),
): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** @returns the path of the unfinished file, which follows from the key, so that another process can delete it. */
function streamPart(path: string): string {
  return join(dirname(path), `.${basename(path)}.part`);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.svg': 'image/svg+xml',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.json': 'application/json',
  '.html': 'text/html; charset=utf-8',
  '.zip': 'application/zip',
  '.pdf': 'application/pdf',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

/** @returns the content type that follows from the file name. */
function contentTypeOf(key: string): string {
  return CONTENT_TYPES[extname(key).toLowerCase()] ?? 'application/octet-stream';
}
