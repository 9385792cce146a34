import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { type Artifact, ArtifactNotFoundError, type ArtifactStore, type ArtifactStream, checkKey } from './store.ts';

/** Keeps artifacts as files in a folder; keys are paths. The content type follows from the extension of the key. */
export class FolderArtifactStore implements ArtifactStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(key: string, bytes: Buffer): Promise<void> {
    await writeAtomically(this.#path(key), bytes);
  }

  async putStream(key: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    const path = this.#path(key);
    await writeAtomically(path, chunks, streamPart(path));
  }

  async get(key: string): Promise<Artifact> {
    const bytes = await readFile(this.#path(key)).catch((error: unknown) => {
      throw isMissing(error) ? new ArtifactNotFoundError(key, { cause: error }) : error;
    });
    return { bytes, contentType: contentTypeOf(key), size: bytes.byteLength };
  }

  async getStream(key: string): Promise<ArtifactStream> {
    const file = await open(this.#path(key)).catch((error: unknown) => {
      throw isMissing(error) ? new ArtifactNotFoundError(key, { cause: error }) : error;
    });
    try {
      const { size } = await file.stat();
      return { bytes: file.createReadStream(), contentType: contentTypeOf(key), size };
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
}

/** Replaces a file so that there is either the old or the complete new content, even after a power failure. */
async function writeAtomically(
  path: string,
  content: Buffer | AsyncIterable<Buffer>,
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

/** Types by the extensions that keys have. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.zip': 'application/zip',
  '.pdf': 'application/pdf',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

/** @returns the content type that follows from the file name. */
function contentTypeOf(key: string): string {
  return CONTENT_TYPES[extname(key).toLowerCase()] ?? 'application/octet-stream';
}
