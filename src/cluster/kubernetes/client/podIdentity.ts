/**
 * The service account of the pod we run in: a token and the server's certificate, in files that the kubelet keeps fresh. The client
 * library does the same for 60 MB of memory, which a pod that needs nothing else of it is spared.
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
/** Between the idle limits of load balancers and the default of undici, as client-go has it. */
const KEEP_ALIVE_MS = 30_000;

/** Nothing names another cluster than the one around us. */
export function isInPod(file: string | undefined): boolean {
  if (file !== undefined || process.env['KUBECONFIG'] || !process.env['KUBERNETES_SERVICE_HOST']) return false;
  return existsSync(path.join(FOLDER, 'token')) && !existsSync(path.join(homedir(), '.kube/config'));
}

/** @param folder other than in a pod, for tests. */
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
