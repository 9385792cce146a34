/**
 * Who we are to the API server and how it is reached. The client library knows kubeconfigs, tokens and plug-ins, but makes a dispatcher,
 * and so a TLS connection, for every request: here one is kept until a certificate changes.
 */
import { createHash } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';

export interface Access {
  readonly server: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
}

export interface Credentials {
  /** @param refused the server took the last ones for wrong: read them anew. */
  get(refused?: boolean): Promise<Access>;
  close(): Promise<void>;
}

/** As often as client-go reads a rotated token. */
const REFRESH_MS = 60_000;

/** @param file of a kubeconfig; undefined: $KUBECONFIG, the user's own, or the service account of the pod. */
export async function loadCredentials(file?: string): Promise<Credentials> {
  const library = await loadLibrary();
  let config = read(library, file);
  let access: (Access & { readonly at: number; readonly digest: string }) | undefined;

  const renew = async (refused: boolean) => {
    // The library keeps a token that it has read; only another object of it reads the file again.
    if (refused) config = read(library, file);
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const digest = digestOf(options);
    const before = access;
    const isSame = before?.digest === digest;
    access = {
      server: serverOf(config),
      headers: headersOf(options),
      dispatcher: isSame ? before.dispatcher : await dispatcherOf(config, library),
      digest,
      at: performance.now(),
    };
    // What is under way on the old one ends in its own time.
    if (before !== undefined && !isSame) void before.dispatcher.close();
    return access;
  };

  let renewing: Promise<Access> | undefined;
  return {
    get(refused = false) {
      if (access !== undefined && !refused && performance.now() - access.at < REFRESH_MS)
        return Promise.resolve(access);
      renewing ??= renew(refused).finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
    async close() {
      await access?.dispatcher.destroy();
    },
  };
}

type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** Some 90 MB and most of a second, which a service without a cluster does not pay. */
const loadLibrary = () => import('@kubernetes/client-node');

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

async function dispatcherOf(config: KubeConfig, { RequestContext, HttpMethod }: Library): Promise<Dispatcher> {
  const context = new RequestContext(serverOf(config), HttpMethod.GET);
  await config.applySecurityAuthentication(context);
  // Without certificates of its own the library leaves it to the default.
  return context.getDispatcher() ?? new Agent();
}

function headersOf({ headers, auth }: RequestOptions): Record<string, string> {
  const basic = typeof auth === 'string' ? { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  const given = Object.entries(headers ?? {}).map(([name, value]) => [name, String(value).trim()]);
  return { ...basic, ...Object.fromEntries(given) };
}

function digestOf({ ca, cert, key, pfx, servername, rejectUnauthorized }: RequestOptions): string {
  const parts = [ca, cert, key, pfx, servername, rejectUnauthorized].map(String);
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
