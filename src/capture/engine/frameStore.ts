/** Stores the PNGs of frames until they are placed: in memory up to a limit, then in a temporary folder. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { errorMessage } from '../../lib/errorMessage.ts';

export interface FrameStoreOptions {
  /** Default 96 MiB. */
  readonly memoryBytes?: number;
  /** The parent of the temporary folder. Default: the system's. */
  readonly tempDir?: string;
}

/** Returns the bytes. It can be called several times. */
export type FrameReader = () => Promise<Buffer>;

export class FrameStore {
  readonly #memoryBytes: number;
  readonly #tempDir: string;
  #usedBytes = 0;
  #files = 0;
  #folder: Promise<string> | undefined;

  constructor({ memoryBytes = 96 * 1024 * 1024, tempDir = tmpdir() }: FrameStoreOptions = {}) {
    this.#memoryBytes = memoryBytes;
    this.#tempDir = tempDir;
  }

  async keep(png: Buffer): Promise<FrameReader> {
    if (this.#usedBytes + png.length <= this.#memoryBytes) {
      this.#usedBytes += png.length;
      return async () => png;
    }
    this.#folder ??= this.#createFolder();
    const file = path.join(await this.#folder, `${this.#files++}.png`);
    await writeFile(file, png);
    return () => readFile(file);
  }

  async #createFolder(): Promise<string> {
    try {
      return await mkdtemp(path.join(this.#tempDir, 'tearsheet-frames-'));
    } catch (cause) {
      throw new Error(`The folder for frames could not be created: ${errorMessage(cause)}`, { cause });
    }
  }

  /** Removes the temporary folder and the frames in it. */
  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(await this.#folder, { recursive: true, force: true });
  }
}
