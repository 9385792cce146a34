import { Transform } from 'node:stream';
import { ResponseTooLargeError } from './errors.ts';

/** Passes bytes through until there are more than allowed, then fails. */
export function byteCap(maxBytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.byteLength;
      if (seen > maxBytes) done(new ResponseTooLargeError(`The answer is larger than ${maxBytes} bytes.`));
      else done(null, chunk);
    },
  });
}
