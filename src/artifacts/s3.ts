import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import {
  type Artifact,
  ArtifactNotFoundError,
  type ArtifactStore,
  checkKey,
  type DownloadUrlOptions,
  type UploadContent,
  type UploadRequest,
} from './store.ts';
import { signUpload } from './uploadSignature.ts';

export interface S3Options {
  region?: string | undefined;
  /** A server other than AWS. */
  endpoint?: string | undefined;
  /** How clients reach that server, where they cannot by `endpoint`. */
  publicEndpoint?: string | undefined;
  forcePathStyle?: boolean | undefined;
  /** Without them the SDK looks where it always does: environment, files, the platform. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Artifacts as objects of one bucket, their keys below one prefix. */
export class S3Store implements ArtifactStore {
  readonly #client: S3Client;
  /** Only signs. */
  readonly #outside: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  /** `prefix`: without slashes at its ends, or empty. */
  constructor(place: { bucket: string; prefix: string }, options: S3Options) {
    this.#bucket = place.bucket;
    this.#prefix = place.prefix === '' ? '' : `${place.prefix}/`;
    this.#client = openClient(options);
    const { publicEndpoint } = options;
    this.#outside = publicEndpoint === undefined ? this.#client : openClient({ ...options, endpoint: publicEndpoint });
  }

  async put(key: string, bytes: Buffer, contentType: string): Promise<void> {
    await this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: bytes, ContentType: contentType }));
  }

  async get(key: string): Promise<Artifact> {
    try {
      const { Body, ContentType } = await this.#client.send(new GetObjectCommand(this.#at(key)));
      if (Body === undefined) throw new Error(`The bucket answered without a body for ${key}.`);
      const bytes = Buffer.from(await Body.transformToByteArray());
      return { bytes, contentType: ContentType ?? 'application/octet-stream', size: bytes.byteLength };
    } catch (error) {
      throw error instanceof NoSuchKey ? new ArtifactNotFoundError(key, { cause: error }) : error;
    }
  }

  async sizeOf(key: string): Promise<number | undefined> {
    try {
      return (await this.#client.send(new HeadObjectCommand(this.#at(key)))).ContentLength;
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(key)));
  }

  uploadRequest(key: string, { contentType, sha256, bytes }: UploadContent): Promise<UploadRequest> {
    const input = { ...this.#at(key), ContentType: contentType, ContentLength: bytes };
    return signUpload(this.#client, new PutObjectCommand(input), sha256);
  }

  downloadUrl(key: string, { expiresInSeconds, fileName, forClient = false }: DownloadUrlOptions): Promise<string> {
    const named = fileName === undefined ? {} : { ResponseContentDisposition: attachment(fileName) };
    const client = forClient ? this.#outside : this.#client;
    return getSignedUrl(client, new GetObjectCommand({ ...this.#at(key), ...named }), { expiresIn: expiresInSeconds });
  }

  async clientOrigin(): Promise<string> {
    return new URL(await this.downloadUrl('any', { expiresInSeconds: 1, forClient: true })).origin;
  }

  close(): void {
    this.#client.destroy();
    this.#outside.destroy();
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + checkKey(key) };
  }
}

function openClient({ region, endpoint, forcePathStyle, credentials }: S3Options): S3Client {
  return new S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(forcePathStyle !== undefined && { forcePathStyle }),
    ...(credentials !== undefined && { credentials }),
    maxAttempts: 3,
    // Otherwise a presigned address carries the checksum of an empty body, and many servers refuse the rest.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
}

function attachment(fileName: string): string {
  return `attachment; filename="${fileName.replace(/[^A-Za-z0-9._-]/g, '_')}"`;
}
