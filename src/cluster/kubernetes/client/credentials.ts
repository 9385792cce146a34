/** Credentials for the API server. They are read again every minute because tokens and certificates are rotated. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';

interface Access {
  readonly server: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
}

export interface Identity extends Omit<Access, 'dispatcher'> {
  /** Changes with the certificates. Connections are kept as long as it is the same. */
  readonly digest: string;
  connect(): Dispatcher | Promise<Dispatcher>;
}

/** @param unauthorized the API server rejected the last identity, so nothing that was read before may be used again. */
type ReadIdentity = (unauthorized: boolean) => Promise<Identity>;

type Library = typeof import('@kubernetes/client-node');

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
/** The interval of client-go: shorter than the idle limits of load balancers. */
const KEEP_ALIVE_MS = 30_000;

export interface Credentials {
  /** @param unauthorized the API server answered 401 to the last credentials, so they are read again at once. */
  get(unauthorized?: boolean): Promise<Access>;
  close(): Promise<void>;
}

/** client-go reads a rotated token at the same interval. */
const REFRESH_MS = 60_000;

/** @param file path of a kubeconfig. Without it: $KUBECONFIG, the service account of the pod, or ~/.kube/config. */
export async function loadCredentials(file?: string): Promise<Credentials> {
  return keepCredentials(isInPod(file) ? podIdentity() : await kubeconfigIdentity(file));
}

export function keepCredentials(read: ReadIdentity): Credentials {
  let current: (Access & { readonly readAt: number; readonly digest: string }) | undefined;
  let renewal: Promise<Access> | undefined;

  const renew = async (unauthorized: boolean) => {
    const { server, headers, digest, connect } = await read(unauthorized);
    const previous = current;
    const isSame = previous?.digest === digest;
    const dispatcher = isSame ? previous.dispatcher : await connect();
    current = { server, headers, dispatcher, digest, readAt: performance.now() };
    // `close` lets the requests on the old connections finish.
    if (previous !== undefined && !isSame) void previous.dispatcher.close();
    return current;
  };

  return {
    get(unauthorized = false) {
      const isFresh = current !== undefined && performance.now() - current.readAt < REFRESH_MS;
      if (current !== undefined && isFresh && !unauthorized) return Promise.resolve(current);
      renewal ??= renew(unauthorized).finally(() => {
        renewal = undefined;
      });
      return renewal;
    },
    async close() {
      await current?.dispatcher.destroy();
    },
  };
}

/** True if this process runs in a pod and no kubeconfig names another cluster. */
export function isInPod(file: string | undefined): boolean {
  if (file !== undefined || process.env['KUBECONFIG'] || !process.env['KUBERNETES_SERVICE_HOST']) return false;
  return existsSync(path.join(FOLDER, 'token')) && !existsSync(path.join(homedir(), '.kube/config'));
}

/**
 * The service account of the pod: a token and the API server's certificate, in files that the kubelet keeps up to date. The client
 * library can read them too, but it takes 60 MB of memory, and a pod needs nothing else from it.
 * @param folder of the token and the certificate; tests pass their own.
 */
export function podIdentity(folder = FOLDER): ReadIdentity {
  return async () => {
    const token = (await readFile(path.join(folder, 'token'), 'utf8')).trim();
    const ca = await readFile(path.join(folder, 'ca.crt'));
    return {
      server: serverOfPod(process.env),
      headers: { authorization: `Bearer ${token}` },
      digest: createHash('sha256').update(ca).digest('base64'),
      connect: () => new Agent({ connect: { ca, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS } }),
    };
  };
}

function serverOfPod({
  KUBERNETES_SERVICE_HOST: host = '',
  KUBERNETES_SERVICE_PORT: port = '443',
}: NodeJS.ProcessEnv): string {
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Reads certificates, tokens, credential plug-ins, OIDC and proxies. @param file path; without it $KUBECONFIG or ~/.kube/config. @throws Error if the current context names no cluster. */
async function kubeconfigIdentity(file: string | undefined): Promise<ReadIdentity> {
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
