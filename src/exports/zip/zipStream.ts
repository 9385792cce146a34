import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** ZIP files hold local times without a zone, so a real time would be wrong somewhere. */
const EPOCH = new Date(1980, 0, 1);

/** Writes a ZIP in the order of the calls. At most one file is in memory at a time, and a slow reader slows it down. */
export function createZipStream() {
  const zip = new ZipFile();
  const out = new PassThrough();
  const fail = (error: unknown) => void out.destroy(error instanceof Error ? error : new Error(String(error)));
  zip.on('error', fail);
  const addLazy = (name: string, compress: boolean, read: () => Promise<Buffer>) => {
    zip.addReadStreamLazy(name, { mtime: EPOCH, compress }, (done) => {
      if (out.destroyed) return;
      read().then((bytes) => done(null, Readable.from([bytes], { objectMode: false })), fail);
    });
  };
  return {
    // A text or a table. Not `addBuffer`, which starts to compress at once: thousands of entries would take a gigabyte together.
    add: (name: string, bytes: Buffer) => addLazy(name, true, () => Promise.resolve(bytes)),
    /** A picture is read when its turn comes, and compressed already. */
    addPicture: (name: string, read: () => Promise<Buffer>) => addLazy(name, false, read),
    /** A text that is made when its turn comes. */
    addLater: (name: string, make: () => Promise<Buffer>) => addLazy(name, true, make),
    /** @returns the bytes of the ZIP. The stream fails if a file cannot be read. */
    end: (): Readable => {
      zip.end();
      zip.outputStream.pipe(out);
      return out;
    },
  };
}
