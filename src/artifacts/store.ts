import type { Readable } from 'node:stream';

/** The place for pictures, creatives and exports: a bucket or a folder. */
export interface ArtifactStore {
  /**
   * Stores the bytes completely or not at all. Replaces an artifact with the same key.
   * @param contentType the one of the key's extension, because a folder keeps no other.
   */
  put(key: string, bytes: Buffer, contentType: string): Promise<void>;
  /**
   * As `put`, for bytes that arrive over time; it holds only a few megabytes of them in memory. The key must be new. An error of
   * `chunks` is thrown, and nothing is stored.
   */
  putStream(key: string, chunks: AsyncIterable<Buffer>, contentType: string): Promise<void>;
  /** @throws ArtifactNotFoundError */
  get(key: string): Promise<Artifact>;
  /** As `get`, for a large artifact. @throws ArtifactNotFoundError */
  getStream(key: string): Promise<ArtifactStream>;
  /** @returns the size in bytes, or undefined if there is no artifact. */
  sizeOf(key: string): Promise<number | undefined>;
  /** Deletes the artifact, if it exists. */
  delete(key: string): Promise<void>;
  /** Deletes what a `putStream` left that ended with its process. */
  discardStream(key: string): Promise<void>;
  /**
   * @returns a signed request that uploads exactly these bytes and is valid for some minutes; undefined if the store has
   *   no URLs, so that the service itself must receive the bytes.
   */
  uploadRequest(key: string, content: UploadContent): Promise<UploadRequest | undefined>;
  /** @returns a signed URL for downloading; undefined if the store has no URLs. */
  downloadUrl(key: string, options: DownloadUrlOptions): Promise<string | undefined>;
  /** @returns the origin of the URLs that `downloadUrl` makes for clients; undefined if the store has no URLs. */
  clientOrigin(): Promise<string | undefined>;
  close(): void;
}

export interface Artifact {
  bytes: Buffer;
  contentType: string;
  /** In bytes. */
  size: number;
}

export interface ArtifactStream {
  bytes: Readable;
  contentType: string;
  /** In bytes. */
  size: number;
}

export interface UploadContent {
  contentType: string;
  /** In hexadecimal. */
  sha256: string;
  /** In base64. Undefined if the capture is of an older release. */
  md5?: string | undefined;
  bytes: number;
}

export interface UploadRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
}

export interface DownloadUrlOptions {
  expiresInSeconds: number;
  /** The name for saving the file. */
  fileName?: string;
  /** Makes a URL for clients, who may reach the server at another address than this process. */
  forClient?: boolean;
}

export class ArtifactNotFoundError extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`The artifact store has no object with the key ${key}.`, options);
  }
}

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const MAX_KEY_LENGTH = 512;

/** @returns the key if it has the form of our keys: words between slashes that do not start with a dot. @throws Error */
export function checkKey(key: string): string {
  const valid = key.length <= MAX_KEY_LENGTH && key.split('/').every((segment) => SEGMENT.test(segment));
  if (!valid)
    throw new Error(
      `"${key.slice(0, 200)}" is not an artifact key. Keys are words of A-Z a-z 0-9 . _ - between slashes.`,
    );
  return key;
}
