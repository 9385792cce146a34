/** Where pictures and creatives are kept: a bucket, or a folder. */
export interface ArtifactStore {
  /** Stores whole or not at all; what was under the key is replaced. */
  put(key: string, bytes: Buffer, contentType: string): Promise<void>;
  /** @throws ArtifactNotFoundError */
  get(key: string): Promise<Artifact>;
  /** @returns how many bytes are there; undefined: nothing. */
  sizeOf(key: string): Promise<number | undefined>;
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>;
  /**
   * An address to which anybody may PUT these bytes, and no others, with these headers, for some minutes.
   * undefined where there is no such address: the service then takes the bytes itself.
   */
  uploadRequest(key: string, content: UploadContent): Promise<UploadRequest | undefined>;
  /** An address to GET the bytes from until it expires. undefined where there is none. */
  downloadUrl(key: string, options: DownloadUrlOptions): Promise<string | undefined>;
  /** Where the addresses lead that `downloadUrl` gives to clients; undefined where there are none. */
  clientOrigin(): Promise<string | undefined>;
  close(): void;
}

export interface Artifact {
  bytes: Buffer;
  contentType: string;
  /** In bytes. */
  size: number;
}

export interface UploadContent {
  contentType: string;
  /** In hexadecimal. */
  sha256: string;
  bytes: number;
}

export interface UploadRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
}

export interface DownloadUrlOptions {
  expiresInSeconds: number;
  /** What the answer shall call itself when saved. */
  fileName?: string;
  /** For a reader outside, who may have to reach the server by another address than this process does. */
  forClient?: boolean;
}

export class ArtifactNotFoundError extends Error {
  override readonly name = 'ArtifactNotFoundError';

  constructor(key: string, options?: ErrorOptions) {
    super(`There is no artifact under the key ${key}.`, options);
  }
}

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const MAX_KEY_LENGTH = 512;

/** Keys are ours: plain words between slashes, none of them hidden. @throws Error for any other. */
export function checkKey(key: string): string {
  const valid = key.length <= MAX_KEY_LENGTH && key.split('/').every((segment) => SEGMENT.test(segment));
  if (!valid)
    throw new Error(`"${key.slice(0, 200)}" is not a key of an artifact: words of A-Z a-z 0-9 . _ - between slashes.`);
  return key;
}
