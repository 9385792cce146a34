/** An S3 server whose bucket has Object Lock: as AWS, it rejects each upload without a checksum. The real one in tests does not. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenHttp } from './listeners.ts';

const PLAIN: Readonly<Record<string, string>> = {
  'POST uploads': '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>',
  'POST uploadId': '<CompleteMultipartUploadResult><ETag>"1"</ETag></CompleteMultipartUploadResult>',
};

/** @param knowsMd5 false: the server does not implement the header, and has no Object Lock. */
export async function startLockedBucket({ knowsMd5 = true } = {}) {
  const stored: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '/', 'http://bucket');
    const plain = PLAIN[`${method} ${url.searchParams.has('uploads') ? 'uploads' : 'uploadId'}`];
    const fault = method === 'PUT' ? faultOf(headers['content-md5']?.toString(), body, knowsMd5) : undefined;
    if (method === 'PUT' && fault === undefined) stored.push(url.pathname + url.search);
    response.writeHead(fault?.status ?? 200, { 'content-type': 'application/xml', etag: '"1"' });
    response.end(
      fault === undefined ? plain : `<Error><Code>${fault.code}</Code><Message>${fault.text}</Message></Error>`,
    );
  };
  const listener = await listenHttp((request, response) => void answer(request, response));
  return { ...listener, stored };
}

function faultOf(given: string | undefined, body: Buffer, knowsMd5: boolean) {
  if (!knowsMd5)
    return given === undefined
      ? undefined
      : { status: 501, code: 'NotImplemented', text: 'A header implies functionality that is not implemented.' };
  const text =
    'Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters';
  if (given === undefined) return { status: 400, code: 'InvalidRequest', text };
  const isRight = given === createHash('md5').update(body).digest('base64');
  return isRight ? undefined : { status: 400, code: 'BadDigest', text: 'The Content-MD5 you specified did not match.' };
}
