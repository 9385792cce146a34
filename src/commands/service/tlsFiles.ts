/** Certificate and key in files that others renew: cert-manager, or whoever writes the Secret they are mounted from. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Between two looks whether they were renewed. */
  readonly againMs?: number;
  readonly log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

const AGAIN_MS = 30_000;

/** @throws Error that names the file which cannot be read */
export function readPair({ certFile, keyFile }: Pick<TlsFiles, 'certFile' | 'keyFile'>): Pair {
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}

/** New connections are served with what the files hold by then; those that are open stay. @returns what ends it */
export function followFiles(server: Server, files: TlsFiles, first: Pair): () => void {
  const { certFile, againMs = AGAIN_MS, log } = files;
  let known = first;
  const look = () => {
    try {
      const now = readPair(files);
      if (now.cert === known.cert && now.key === known.key) return;
      server.setSecureContext(now);
      known = now;
      log.info({ certFile }, 'the certificate was renewed');
    } catch (error) {
      // Of two files that are being written one may be the new one already: the next look finds both.
      log.error({ certFile, err: error }, 'the certificate could not be renewed');
    }
  };
  const timer = setInterval(look, againMs);
  timer.unref();
  return () => clearInterval(timer);
}
