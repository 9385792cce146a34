/** Reads a kubeconfig by the client library: certificates, tokens, credential plug-ins, OIDC and proxies. */
import { createHash } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';
import type { ReadIdentity } from './identity.ts';

/** @param file path; without it $KUBECONFIG or ~/.kube/config. @throws Error if the current context names no cluster. */
export async function kubeconfigIdentity(file: string | undefined): Promise<ReadIdentity> {
  // The library takes 60 MB of memory, so a process in a pod never loads it.
  const library = await import('@kubernetes/client-node');
  let config = read(library, file);
  return async (unauthorized) => {
    // A KubeConfig keeps the token that it has read. Only a new one reads the file again.
    if (unauthorized) config = read(library, file);
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const server = serverOf(config);
    return {
      server,
      headers: headersOf(options),
      digest: digestOf(server, options),
      connect: () => connect(config, library),
    };
  };
}

type Library = typeof import('@kubernetes/client-node');

function read({ KubeConfig }: Library, file: string | undefined): KubeConfig {
  const config = new KubeConfig();
  if (file === undefined) config.loadFromDefault();
  else config.loadFromFile(file);
  // Throws at the start of the process instead of at the first request.
  serverOf(config);
  return config;
}

function serverOf(config: KubeConfig): string {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error(`The kubeconfig's context ${config.getCurrentContext()} names no cluster.`);
  return server.replace(/\/+$/, '');
}

/** The library creates a dispatcher, and so a TLS connection, for each of its own requests. We create one and keep it. */
async function connect(config: KubeConfig, { RequestContext, HttpMethod }: Library): Promise<Dispatcher> {
  const context = new RequestContext(serverOf(config), HttpMethod.GET);
  await config.applySecurityAuthentication(context);
  // The library sets no dispatcher if the kubeconfig has no certificates.
  return context.getDispatcher() ?? new Agent();
}

function headersOf({ headers, auth }: RequestOptions): Record<string, string> {
  const basic = typeof auth === 'string' ? { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  const given = Object.entries(headers ?? {}).map(([name, value]) => [name, String(value).trim()]);
  return { ...basic, ...Object.fromEntries(given) };
}

function digestOf(server: string, { ca, cert, key, pfx, servername, rejectUnauthorized }: RequestOptions): string {
  const parts = [server, ca, cert, key, pfx, servername, rejectUnauthorized].map(String);
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
