import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { sendContentMd5 } from './contentMd5.ts';
import {
  type Artifact,
  ArtifactNotFoundError,
  type ArtifactStore,
  type ArtifactStream,
  checkKey,
  type DownloadUrlOptions,
  type UploadContent,
  type UploadRequest,
} from './store.ts';

/** A request in the form that the SDK passes between its middleware. */
interface Signed {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers: Record<string, string>;
}

/** Headers that the sender sets itself. */
const SENDER_HEADERS = new Set(['host', 'content-length', 'user-agent', 'expect']);

export interface S3StoreOptions {
  region?: string | undefined;
  /** The URL of a server other than AWS. */
  endpoint?: string | undefined;
  /** The URL by which clients reach that server, if it differs from `endpoint`. */
  publicEndpoint?: string | undefined;
  forcePathStyle?: boolean | undefined;
  /** By default, the AWS credential chain is used: environment, files, platform. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** The smallest part of a multipart upload that S3 accepts. A stream holds about two of them in memory. */
const PART_BYTES = 5 * 1024 * 1024;

/** Keeps artifacts as objects of a bucket, with a common prefix of their keys. */
export class S3ArtifactStore implements ArtifactStore {
  readonly #client: S3Client;
  /** Signs URLs for clients. It sends no requests. */
  readonly #publicClient: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  /** @param place its `prefix` is empty, or has no slash at the start and end. */
  constructor(place: { bucket: string; prefix: string }, options: S3StoreOptions) {
    this.#bucket = place.bucket;
    this.#prefix = place.prefix === '' ? '' : `${place.prefix}/`;
    this.#client = openClient(options);
    const { publicEndpoint } = options;
    this.#publicClient =
      publicEndpoint === undefined ? this.#client : openClient({ ...options, endpoint: publicEndpoint });
  }

  async put(key: string, bytes: Buffer, contentType: string): Promise<void> {
    await this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: bytes, ContentType: contentType }));
  }

  async putStream(key: string, chunks: AsyncIterable<Buffer>, contentType: string): Promise<void> {
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#at(key), Body: Readable.from(chunks, { objectMode: false }), ContentType: contentType },
      partSize: PART_BYTES,
      queueSize: 1,
    });
    await upload.done();
  }

  async get(key: string): Promise<Artifact> {
    const { bytes, ...rest } = await this.getStream(key);
    return { ...rest, bytes: await buffer(bytes) };
  }

  async getStream(key: string): Promise<ArtifactStream> {
    const { Body, ContentType, ContentLength } = await this.#client
      .send(new GetObjectCommand(this.#at(key)))
      .catch((error: unknown) => {
        throw error instanceof NoSuchKey ? new ArtifactNotFoundError(key, { cause: error }) : error;
      });
    if (!(Body instanceof Readable) || ContentLength === undefined)
      throw new Error(`The S3 server sent no body for ${key}.`);
    return { bytes: Body, contentType: ContentType ?? 'application/octet-stream', size: ContentLength };
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

  async discardStream(key: string): Promise<void> {
    const { Bucket, Key } = this.#at(key);
    const { Uploads = [] } = await this.#client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
    for (const { UploadId, Key: found } of Uploads)
      if (found === Key) await this.#client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    await this.delete(key);
  }

  uploadRequest(key: string, { contentType, sha256, md5, bytes }: UploadContent): Promise<UploadRequest> {
    const input = { ...this.#at(key), ContentType: contentType, ContentLength: bytes, ContentMD5: md5 };
    return signUpload(this.#client, new PutObjectCommand(input), sha256);
  }

  downloadUrl(key: string, { expiresInSeconds, fileName, forClient = false }: DownloadUrlOptions): Promise<string> {
    const named = fileName === undefined ? {} : { ResponseContentDisposition: attachment(fileName) };
    const client = forClient ? this.#publicClient : this.#client;
    return getSignedUrl(client, new GetObjectCommand({ ...this.#at(key), ...named }), { expiresIn: expiresInSeconds });
  }

  async clientOrigin(): Promise<string> {
    return new URL(await this.downloadUrl('any', { expiresInSeconds: 1, forClient: true })).origin;
  }

  close(): void {
    this.#client.destroy();
    this.#publicClient.destroy();
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + checkKey(key) };
  }
}

function openClient({ region, endpoint, forcePathStyle, credentials }: S3StoreOptions): S3Client {
  const client = new S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(forcePathStyle !== undefined && { forcePathStyle }),
    ...(credentials !== undefined && { credentials }),
    maxAttempts: 3,
    // Otherwise a presigned URL contains the checksum of an empty body, and many servers reject other bodies.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
  sendContentMd5(client);
  return client;
}

function attachment(fileName: string): string {
  return `attachment; filename="${fileName.replace(/[^A-Za-z0-9._-]/g, '_')}"`;
}

/**
 * Signs an upload, which a capture sends, for exactly these bytes. A presigned URL does not sign the payload, and many S3
 * servers lack checksums and conditional writes, which could bind it. The SHA-256 of the payload is a part of Signature
 * Version 4, so servers compare it: AWS, MinIO, Ceph and versitygw answer 400 XAmzContentSHA256Mismatch.
 */
async function signUpload(client: S3Client, command: PutObjectCommand, sha256: string): Promise<UploadRequest> {
  let signed: Signed | undefined;
  const { middlewareStack } = command;
  middlewareStack.add(
    (next) => (args) => {
      (args.request as Signed).headers['x-amz-content-sha256'] = sha256;
      return next(args);
    },
    { step: 'build', name: 'bindPayload' },
  );
  middlewareStack.add(
    () => async (args) => {
      signed = args.request as Signed;
      // Stop here: the request is signed and must not be sent.
      return { response: {}, output: { $metadata: {} } };
    },
    { step: 'finalizeRequest', name: 'takeSigned', priority: 'low' },
  );
  await client.send(command);
  if (signed === undefined) throw new Error('unreachable: the S3 client did not sign the upload');
  return describe(signed);
}

function describe({ protocol, hostname, port, path, query = {}, headers }: Signed): UploadRequest {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const given = Object.entries(headers).filter(([name]) => !SENDER_HEADERS.has(name));
  return { url: url.href, headers: Object.fromEntries(given) };
}
