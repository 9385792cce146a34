/**
 * An upload that somebody else is to send, signed for exactly these bytes. Not a presigned address: that one leaves the payload unsigned, and what
 * would bind it there (checksums, conditional writes) is missing in many S3 servers. The SHA-256 of the payload is a part of Signature Version 4 itself, so
 * whoever speaks that at all compares it: AWS, MinIO, Ceph, versitygw and others answer 400 XAmzContentSHA256Mismatch.
 */
import type { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { UploadRequest } from './store.ts';

/** As the SDK hands it from one step to the next. */
interface Signed {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers: Record<string, string>;
}

/** Whoever sends sets these. */
const OF_THE_SENDER = new Set(['host', 'content-length', 'user-agent', 'expect']);

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
      // It ends here, signed and not sent.
      return { response: {}, output: { $metadata: {} } };
    },
    { step: 'finalizeRequest', name: 'takeSigned', priority: 'low' },
  );
  await client.send(command);
  if (signed === undefined) throw new Error('The S3 client did not sign an upload.');
  return describe(signed);
}

function describe({ protocol, hostname, port, path, query = {}, headers }: Signed): UploadRequest {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const given = Object.entries(headers).filter(([name]) => !OF_THE_SENDER.has(name));
  return { url: url.href, headers: Object.fromEntries(given) };
}
