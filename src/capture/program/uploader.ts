/** Uploads pictures: declares each one, gets a signed URL that accepts exactly these bytes, and sends them. */
import { type DeclaredUploads, type DeclareUploads, MAX_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import { md5Of } from '../../lib/md5.ts';
import type { ProtocolClient } from './protocolClient.ts';

type UploadDeclaration = DeclareUploads['uploads'][number];
type UploadAddress = DeclaredUploads['uploads'][number];
type WithoutContent<T> = T extends unknown ? Omit<T, 'sha256' | 'md5' | 'bytes'> : never;

interface PictureUpload {
  readonly what: WithoutContent<UploadDeclaration>;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** @returns why the API would reject the picture; undefined if it would accept it. */
export function pictureFault(png: Buffer): string | undefined {
  if (png.length <= MAX_PICTURE_BYTES) return undefined;
  return `The picture has ${png.length} bytes; at most ${MAX_PICTURE_BYTES} are allowed.`;
}

const MAX_IN_A_CALL = 100;

interface PendingUpload {
  readonly declared: UploadDeclaration;
  readonly answer: PromiseWithResolvers<UploadAddress>;
}

export class Uploader {
  readonly #client: ProtocolClient;
  readonly #signal: AbortSignal;
  #waiting: PendingUpload[] = [];
  #declaring = false;

  constructor(client: ProtocolClient, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** @returns the key of the stored picture. @throws the errors of the protocol client. */
  async send({ what, bytes, sha256 }: PictureUpload): Promise<string> {
    const { key, url, headers } = await this.#declare({ ...what, sha256, md5: md5Of(bytes), bytes: bytes.length });
    await this.#client.upload({ url, headers, bytes }, this.#signal);
    return key;
  }

  /** Uploads that arrive during a call are declared together in the next call. */
  #declare(declared: UploadDeclaration): Promise<UploadAddress> {
    const answer = Promise.withResolvers<UploadAddress>();
    this.#waiting.push({ declared, answer });
    if (!this.#declaring) void this.#declareAll();
    return answer.promise;
  }

  async #declareAll(): Promise<void> {
    this.#declaring = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_IN_A_CALL);
      try {
        const uploads = batch.map(({ declared }) => declared);
        const addresses = await this.#client.declareUploads(uploads, this.#signal);
        if (addresses.length !== uploads.length)
          throw new Error('The answer of the internal API lacks the URL of an upload.');
        for (const [i, address] of addresses.entries()) batch[i]?.answer.resolve(address);
      } catch (error) {
        for (const { answer } of batch) answer.reject(error);
      }
    }
    this.#declaring = false;
  }
}
