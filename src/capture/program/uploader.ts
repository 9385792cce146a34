/** Uploads pictures: declares each one, gets a signed URL that accepts exactly these bytes, and sends them. */
import { type DeclaredUploads, type DeclareUploads, MAX_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import type { ProtocolClient } from './protocolClient.ts';

type UploadDeclaration = DeclareUploads['uploads'][number];
type UploadAddress = DeclaredUploads['uploads'][number];
type WithoutContent<T> = T extends unknown ? Omit<T, 'sha256' | 'bytes'> : never;

export interface PictureUpload {
  readonly what: WithoutContent<UploadDeclaration>;
  readonly png: Buffer;
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
  async send({ what, png, sha256 }: PictureUpload): Promise<string> {
    const { key, url, headers } = await this.#declare({ ...what, sha256, bytes: png.length });
    await this.#client.upload({ url, headers, png }, this.#signal);
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
        for (const [i, { answer }] of batch.entries()) settle(answer, addresses[i]);
      } catch (error) {
        for (const { answer } of batch) answer.reject(error);
      }
    }
    this.#declaring = false;
  }
}

function settle(answer: PromiseWithResolvers<UploadAddress>, address: UploadAddress | undefined): void {
  if (address === undefined) answer.reject(new Error('The answer of the internal API lacks the URL of an upload.'));
  else answer.resolve(address);
}
