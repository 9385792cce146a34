/** Uploads pictures: declares each one, gets a signed URL that accepts exactly these bytes, and sends them. */
import { type DeclareUploads, MAX_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import { md5Of } from '../../lib/md5.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { ProtocolClient } from './protocolClient.ts';

type WithoutContent<T> = T extends unknown ? Omit<T, 'sha256' | 'md5' | 'bytes'> : never;

export interface PictureUpload {
  readonly what: WithoutContent<DeclareUploads['uploads'][number]>;
  readonly file: Buffer;
}

/** @returns why the API would reject the picture; undefined if it would accept it. */
export function pictureFault(png: Buffer): string | undefined {
  if (png.length <= MAX_PICTURE_BYTES) return undefined;
  return `The picture has ${png.length} bytes; at most ${MAX_PICTURE_BYTES} are allowed.`;
}

/** @returns the stored picture, as results report it. @throws the errors of the protocol client. */
export async function upload(client: ProtocolClient, { what, file }: PictureUpload, signal: AbortSignal) {
  const content = { sha256: sha256Of(file), bytes: file.length };
  const [target] = await client.declareUploads([{ ...what, ...content, md5: md5Of(file) }], signal);
  if (target === undefined) throw new Error('The answer of the internal API lacks the URL of an upload.');
  const { key, url, headers } = target;
  await client.upload({ url, headers, bytes: file }, signal);
  return { key, ...content };
}
