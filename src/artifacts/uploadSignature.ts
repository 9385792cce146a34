/**
 * Signs an upload, which a capture sends, for exactly these bytes. A presigned URL does not sign the payload, and many S3
 * servers lack checksums and conditional writes, which could bind it. The SHA-256 of the payload is a part of Signature
 * Version 4, so servers compare it: AWS, MinIO, Ceph and versitygw answer 400 XAmzContentSHA256Mismatch.
 */
import type { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { UploadRequest } from './store.ts';

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

export async function signUpload(client: S3Client, command: PutObjectCommand, sha256: string): Promise<UploadRequest> {
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
