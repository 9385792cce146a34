import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { contentTypeOf } from './contentTypes.ts';
import { type Artifact, ArtifactNotFoundError, type ArtifactStore, checkKey } from './store.ts';

/**
 * Artifacts as files of one folder, their keys being paths in it. A content type that the name does not tell is kept
 * in a file of the same path under `.types`.
 */
export class FolderStore implements ArtifactStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(key: string, bytes: Buffer, contentType: string): Promise<void> {
    const path = this.#path(key);
    if (contentType === contentTypeOf(key)) await rm(this.#typePath(key), { force: true });
    else await writeWhole(this.#typePath(key), contentType);
    await writeWhole(path, bytes);
  }

  async get(key: string): Promise<Artifact> {
    const bytes = await readFile(this.#path(key)).catch((error: unknown) => {
      throw isMissing(error) ? new ArtifactNotFoundError(key, { cause: error }) : error;
    });
    return { bytes, contentType: await this.#contentType(key), size: bytes.byteLength };
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

/** Under its name there is the old file or the whole new one, also after a power cut. */
async function writeWhole(path: string, content: Buffer | string): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${randomUUID()}.part`);
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
