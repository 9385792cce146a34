/** A TCP proxy in front of the API server. It counts connections, closes them, or stalls them to simulate a bad network. */
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';

export interface ApiServerProxy {
  /** The path of a kubeconfig that uses the proxy. */
  readonly kubeconfig: string;
  /** All connections so far. */
  readonly connections: number;
  /** Stops all traffic without closing a connection. */
  stall(): void;
  /** New connections work again; stalled connections stay stalled. */
  resume(): void;
  closeConnections(): void;
  close(): Promise<void>;
}

/** @param folder for the kubeconfig. */
export async function startApiServerProxy(kubeconfig: string, folder: string): Promise<ApiServerProxy> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const target = new URL(config.getCurrentCluster()?.server ?? '');
  const pairs = new Set<readonly [Socket, Socket]>();
  let isStalled = false;
  let connections = 0;

  const server = createServer((near) => {
    connections += 1;
    const far = connect({ host: target.hostname, port: Number(target.port) });
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = () => {
      near.destroy();
      far.destroy();
      pairs.delete(pair);
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    if (isStalled) return hold(pair);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = path.join(folder, 'proxied.kubeconfig');
  const address = `https://${target.hostname}:${(server.address() as AddressInfo).port}`;
  await writeFile(own, (await readFile(kubeconfig, 'utf8')).replaceAll(target.origin, address));
  const closeConnections = () => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  return {
    kubeconfig: own,
    get connections() {
      return connections;
    },
    stall() {
      isStalled = true;
      for (const pair of pairs) hold(pair);
    },
    resume() {
      isStalled = false;
    },
    closeConnections,
    async close() {
      closeConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Keeps both sockets open and forwards nothing. */
function hold([near, far]: readonly [Socket, Socket]): void {
  near.unpipe(far);
  far.unpipe(near);
  near.pause();
  far.pause();
}
