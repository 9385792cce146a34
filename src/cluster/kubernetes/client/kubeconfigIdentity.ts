/** A kubeconfig, with all the ways to be somebody that the client library knows: certificates, tokens, plug-ins, OIDC, proxies. */
import { createHash } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';
import type { ReadIdentity } from './identity.ts';

/** @param file undefined: $KUBECONFIG, or the user's own. @throws where it names no cluster */
export async function kubeconfigIdentity(file: string | undefined): Promise<ReadIdentity> {
  // Only where it is needed: it is large.
  const library = await import('@kubernetes/client-node');
  let config = read(library, file);
  return async (anew) => {
    // The library keeps a token that it has read; only another object of it reads the file again.
    if (anew) config = read(library, file);
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
  // Fails here rather than at the first call.
  serverOf(config);
  return config;
}

function serverOf(config: KubeConfig): string {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error(`The kubeconfig's context ${config.getCurrentContext()} names no cluster.`);
  return server.replace(/\/+$/, '');
}

/** The library makes one, and so a TLS connection, for each of its own requests. */
async function connect(config: KubeConfig, { RequestContext, HttpMethod }: Library): Promise<Dispatcher> {
  const context = new RequestContext(serverOf(config), HttpMethod.GET);
  await config.applySecurityAuthentication(context);
  // Without certificates of its own it leaves it to the default.
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
