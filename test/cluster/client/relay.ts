/** A relay in front of the API server: it counts connections, cuts them, or holds back what passes, as a network does at its worst. */
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';

export interface Relay {
  /** Of a kubeconfig that goes through the relay. */
  readonly kubeconfig: string;
  /** Ever made. */
  readonly connections: number;
  /** Nothing passes any more, and nobody is told. */
  freeze(): void;
  /** What is new passes again; what was frozen stays so. */
  thaw(): void;
  cut(): void;
  close(): Promise<void>;
}

/** @param folder for the kubeconfig. */
export async function relay(kubeconfig: string, folder: string): Promise<Relay> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const target = new URL(config.getCurrentCluster()?.server ?? '');
  const pairs = new Set<readonly [Socket, Socket]>();
  let frozen = false;
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
    if (frozen) return hold(pair);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = path.join(folder, 'relayed.kubeconfig');
  const address = `https://${target.hostname}:${(server.address() as AddressInfo).port}`;
  await writeFile(own, (await readFile(kubeconfig, 'utf8')).replaceAll(target.origin, address));
  const cut = () => {
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
    freeze() {
      frozen = true;
      for (const pair of pairs) hold(pair);
    },
    thaw() {
      frozen = false;
    },
    cut,
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Takes what comes, and passes nothing on. */
function hold([near, far]: readonly [Socket, Socket]): void {
  near.unpipe(far);
  far.unpipe(near);
  near.pause();
  far.pause();
}
