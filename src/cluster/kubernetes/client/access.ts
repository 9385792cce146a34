/** Address, credentials and connections of the API server, as the client library reads them from a kubeconfig or in a pod. */
import { spawn } from 'node:child_process';
import type { DispatcherOptions, KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';
import { withDeadline } from '../../../lib/deadline.ts';
import { errorMessage } from '../../../lib/errorMessage.ts';

export type Library = typeof import('@kubernetes/client-node');

const READ_MS = 15_000;

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

/**
 * @param load fills an empty KubeConfig.
 * @param readMs for one read of the credentials, and for a plug-in that it starts.
 * @throws Error if the current context names no cluster.
 */
export function readAccess(library: Library, load: (config: KubeConfig) => void, readMs = READ_MS): AccessReader {
  /** The library makes a dispatcher, and so a TLS connection, for each request. Their options show whether the kept one is still valid. */
  class ObservedConfig extends library.KubeConfig {
    dispatcherOptions: DispatcherOptions | undefined;

    override createDispatcherOptions(
      ...parameters: Parameters<KubeConfig['createDispatcherOptions']>
    ): DispatcherOptions {
      this.dispatcherOptions = super.createDispatcherOptions(...parameters);
      return this.dispatcherOptions;
    }
  }

  const loadConfig = () => {
    const empty = new ObservedConfig();
    load(empty);
    endPluginsAfter(readMs, empty);
    // Throws at the start of the process instead of at the first request.
    serverOf(empty);
    return empty;
  };
  let config = loadConfig();
  let kept: { readonly dispatcher: Dispatcher; readonly identity: string } | undefined;
  let reading: Promise<Access> | undefined;

  const read = async (): Promise<Access> => {
    const current = config;
    const server = serverOf(current);
    const context = new library.RequestContext(server.href, library.HttpMethod.GET);
    await withDeadline(readMs, current.applySecurityAuthentication(context)).catch((cause: unknown) => {
      throw new Error(`the credentials of the kubeconfig could not be read: ${errorMessage(cause)}`, { cause });
    });
    const identity = JSON.stringify([server, current.dispatcherOptions]);
    if (kept?.identity !== identity) {
      // `close` lets the requests on the old connections finish.
      void kept?.dispatcher.close();
      // The library makes no dispatcher if the kubeconfig has no certificates.
      kept = { identity, dispatcher: context.getDispatcher() ?? new Agent() };
    }
    // A token in a file may end with a newline.
    const headers = Object.entries(context.getHeaders()).map(([name, value]) => [name, value.trim()]);
    return { server, headers: Object.fromEntries(headers), dispatcher: kept.dispatcher, config: current };
  };

  return {
    async read(rejected) {
      if (rejected?.config === config) {
        config = loadConfig();
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

/** The library waits for a credential plug-in without end. Only through `execFn` can it be given a time limit. */
function endPluginsAfter(timeout: number, config: KubeConfig): void {
  const execFn = (command: string, args: readonly string[] = [], options: object = {}) =>
    spawn(command, args, { ...options, timeout, killSignal: 'SIGKILL' });
  for (const authenticator of Reflect.get(config, 'authenticators'))
    if ('execFn' in authenticator) authenticator.execFn = execFn;
}

function serverOf(config: KubeConfig): URL {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error(`The kubeconfig's context ${config.getCurrentContext()} names no cluster.`);
  return new URL(server);
}
