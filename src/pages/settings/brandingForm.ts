/** Reads the form of the branding, which holds the file of the logo. */
import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';
import { MAX_LOGO_BYTES } from '../../api/logos/replaceLogo.ts';
import { Failure } from '../../domain/failure.ts';

/** One byte more than a logo may have shows that a file is too large. */
const LIMITS = { files: 1, fileSize: MAX_LOGO_BYTES + 1, fields: 20, fieldSize: 8_192, parts: 21 };

/** Sets the fields as the body of the request. @returns the file; empty if none was chosen. @throws Failure (400) */
export async function readBrandingForm(request: Request): Promise<Buffer> {
  const fields: Record<string, string> = {};
  const chunks: Buffer[] = [];
  const type = request.get('content-type') ?? '';
  if (!type.startsWith('multipart/form-data')) throw malformed();
  await new Promise<void>((resolve, reject) => {
    const fail = () => {
      request.unpipe();
      // Reads on, so that the browser receives the answer.
      request.resume();
      reject(malformed());
    };
    const parser = Busboy({ headers: { 'content-type': type }, limits: LIMITS });
    parser.on('field', (name: string, value: string) => {
      fields[name] = value;
    });
    parser.on('file', (_name: string, file: NodeJS.ReadableStream) => {
      file.on('data', (chunk: Buffer) => chunks.push(chunk));
      file.on('error', fail);
    });
    parser.on('finish', resolve);
    parser.on('error', fail);
    request.once('error', fail);
    request.pipe(parser);
  });
  request.body = fields;
  return Buffer.concat(chunks);
}

const malformed = () =>
  new Failure({ status: 400, code: 'malformed', errors: { form: ['This form could not be read: reload the page.'] } });
