import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { md5Of } from '../lib/md5.ts';

/** The part of a request between two middleware of the SDK that matters here. */
interface Sent {
  readonly body?: unknown;
  readonly headers: Record<string, string>;
}

/**
 * Makes the client send Content-MD5 with each upload. A bucket with Object Lock requires a checksum, and this is the one that
 * S3 servers know. The others make some servers reject an upload. A server that does not know this one gets the upload again
 * without it.
 */
export function sendContentMd5(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const request = args.request as Sent;
        const isUpload = commandName === 'PutObjectCommand' || commandName === 'UploadPartCommand';
        if (!isUpload || !(request.body instanceof Uint8Array)) return next(args);
        request.headers['content-md5'] = md5Of(request.body);
        try {
          return await next(args);
        } catch (error) {
          if (!isUnknownHeader(error)) throw error;
          delete request.headers['content-md5'];
          return next(args);
        }
      },
    { step: 'build', name: 'contentMd5' },
  );
}

/** S3 servers answer 501 to a header that they do not implement. */
function isUnknownHeader(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 501;
}
