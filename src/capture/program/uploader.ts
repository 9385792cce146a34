/** Brings pictures to where they are kept: says what is about to be sent, gets an address that takes exactly that, and sends it. */
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

/** Why it cannot be kept, in words; undefined: it can. */
export function pictureFault(png: Buffer): string | undefined {
  if (png.length <= MAX_PICTURE_BYTES) return undefined;
  return `The picture has ${png.length} bytes; ${MAX_PICTURE_BYTES} are the most.`;
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
  #asking = false;

  constructor(client: ProtocolClient, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** @returns the key under which it is kept. @throws as the calls of the client do */
  async send({ what, png, sha256 }: PictureUpload): Promise<string> {
    const { key, url, headers } = await this.#declare({ ...what, sha256, bytes: png.length });
    await this.#client.upload({ url, headers, png }, this.#signal);
    return key;
  }

  /** Those that come while a call is under way go together in the next one. */
  #declare(declared: UploadDeclaration): Promise<UploadAddress> {
    const answer = Promise.withResolvers<UploadAddress>();
    this.#waiting.push({ declared, answer });
    if (!this.#asking) void this.#askAll();
    return answer.promise;
  }

  async #askAll(): Promise<void> {
    this.#asking = true;
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
    this.#asking = false;
  }
}

function settle(answer: PromiseWithResolvers<UploadAddress>, address: UploadAddress | undefined): void {
  if (address === undefined) answer.reject(new Error('The internal API left out the address of an upload.'));
  else answer.resolve(address);
}
