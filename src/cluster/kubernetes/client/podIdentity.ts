/**
 * The service account of the pod: a token and the API server's certificate, in files that the kubelet keeps up to date. The client
 * library can read them too, but it takes 60 MB of memory, and a pod needs nothing else from it.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { Agent } from 'undici';
import type { ReadIdentity } from './identity.ts';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
/** The interval of client-go: shorter than the idle limits of load balancers. */
const KEEP_ALIVE_MS = 30_000;

/** True if this process runs in a pod and no kubeconfig names another cluster. */
export function isInPod(file: string | undefined): boolean {
  if (file !== undefined || process.env['KUBECONFIG'] || !process.env['KUBERNETES_SERVICE_HOST']) return false;
  return existsSync(path.join(FOLDER, 'token')) && !existsSync(path.join(homedir(), '.kube/config'));
}

/** @param folder of the token and the certificate; tests pass their own. */
export function podIdentity(folder = FOLDER): ReadIdentity {
  return async () => {
    const token = (await readFile(path.join(folder, 'token'), 'utf8')).trim();
    const ca = await readFile(path.join(folder, 'ca.crt'));
    return {
      server: serverOf(process.env),
      headers: { authorization: `Bearer ${token}` },
      digest: createHash('sha256').update(ca).digest('base64'),
      connect: () => new Agent({ connect: { ca, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS } }),
    };
  };
}

function serverOf({
  KUBERNETES_SERVICE_HOST: host = '',
  KUBERNETES_SERVICE_PORT: port = '443',
}: NodeJS.ProcessEnv): string {
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
