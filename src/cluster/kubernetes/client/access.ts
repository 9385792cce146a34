/** Address, credentials and connections of the API server, as the client library reads them from a kubeconfig or in a pod. */
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';

export type Library = typeof import('@kubernetes/client-node');

export interface Access {
  readonly server: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
  readonly config: KubeConfig;
}

export interface AccessReader {
  /**
   * Reads certificates, tokens and credential plug-ins through the library, which keeps a token for a minute. Concurrent calls share one read.
   * @param rejected the API server answered 401 to it, so nothing that its configuration has read may be used again.
   */
  read(rejected?: Access): Promise<Access>;
  close(): Promise<void>;
}

/** @param load fills an empty KubeConfig. @throws Error if the current context names no cluster. */
export function readAccess(library: Library, load: (config: KubeConfig) => void): AccessReader {
  let config = loadConfig(library, load);
  let kept: { readonly dispatcher: Dispatcher; readonly identity: string } | undefined;
  let reading: Promise<Access> | undefined;

  const read = async (): Promise<Access> => {
    const current = config;
    const options: RequestOptions = {};
    await current.applyToHTTPSOptions(options);
    const server = serverOf(current);
    const identity = identityOf(current, options);
    if (kept?.identity !== identity) {
      // `close` lets the requests on the old connections finish.
      void kept?.dispatcher.close();
      kept = { identity, dispatcher: await connect(library, current) };
    }
    return { server, headers: headersOf(options), dispatcher: kept.dispatcher, config: current };
  };

  return {
    async read(rejected) {
      if (rejected?.config === config) {
        config = loadConfig(library, load);
        reading = undefined;
      }
      const shared = reading ?? read();
      reading = shared;
      try {
        return await shared;
      } finally {
        if (reading === shared) reading = undefined;
      }
    },
    async close() {
      await kept?.dispatcher.destroy();
    },
  };
}

function loadConfig({ KubeConfig }: Library, load: (config: KubeConfig) => void): KubeConfig {
  const config = new KubeConfig();
  load(config);
  // Throws at the start of the process instead of at the first request.
  serverOf(config);
  return config;
}

function serverOf(config: KubeConfig): URL {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error(`The kubeconfig's context ${config.getCurrentContext()} names no cluster.`);
  return new URL(server);
}

/** The library creates a dispatcher, and so a TLS connection, for each of its own requests. We create one and keep it. */
async function connect({ RequestContext, HttpMethod }: Library, config: KubeConfig): Promise<Dispatcher> {
  const context = new RequestContext(serverOf(config).href, HttpMethod.GET);
  await config.applySecurityAuthentication(context);
  // The library sets no dispatcher if the kubeconfig has no certificates.
  return context.getDispatcher() ?? new Agent();
}

function headersOf({ headers, auth }: RequestOptions): Record<string, string> {
  const basic = typeof auth === 'string' ? { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  // A token in a file may end with a newline.
  const given = Object.entries(headers ?? {}).map(([name, value]) => [name, String(value).trim()]);
  return { ...basic, ...Object.fromEntries(given) };
}

/** Changes with the server, its proxy and the certificates. Connections are kept as long as it is the same. */
function identityOf(config: KubeConfig, options: RequestOptions): string {
  const { server, proxyUrl } = config.getCurrentCluster() ?? {};
  const { ca, cert, key, pfx, servername, rejectUnauthorized } = options;
  return JSON.stringify([server, proxyUrl, ca, cert, key, pfx, servername, rejectUnauthorized].map(String));
}
