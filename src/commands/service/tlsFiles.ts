/** Reads certificate and key from files that another program renews, for example cert-manager through a mounted Secret. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Time between two checks for new files. */
  readonly intervalMs?: number;
  readonly log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

const CHECK_INTERVAL_MS = 30_000;

/**
 * The check comes before the server gets the pair, because a server accepts a pair with an empty certificate and then fails every
 * handshake.
 * @throws Error that names the unreadable file, or says why the pair is not complete.
 */
export function readTlsFiles({ certFile, keyFile }: Pick<TlsFiles, 'certFile' | 'keyFile'>): CertificatePair {
  const pair = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  if (!new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key)))
    throw new Error(`The key in ${keyFile} does not belong to the certificate in ${certFile}.`);
  return pair;
}

/** Checks the files regularly. New connections use the new certificate; open ones stay. @returns a function that stops. */
export function reloadOnRenewal(server: Server, files: TlsFiles, first: CertificatePair): () => void {
  const { certFile, intervalMs = CHECK_INTERVAL_MS, log } = files;
  let current = first;
  const check = () => {
    try {
      const found = readTlsFiles(files);
      if (found.cert === current.cert && found.key === current.key) return;
      server.setSecureContext(found);
      current = found;
      log.info({ certFile }, 'loaded the renewed certificate');
    } catch (error) {
      // If only one of the two files has been written, the next check finds both.
      log.error({ certFile, err: error }, 'loading the renewed certificate failed, retrying');
    }
  };
  const timer = setInterval(check, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
