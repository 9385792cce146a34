/**
 * One control plane for a whole vitest run, started when the first test asks for it. It is the cluster of TEST_KUBECONFIG,
 * or runs from the programs in KUBEBUILDER_ASSETS, or from those that `test/cluster/cluster build control-plane` keeps
 * outside the checkout. The project's resources are installed in it.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { startControlPlane } from './controlPlane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers GET with {@link ClusterServer} as JSON, starting the control plane at the first one. */
    clusterBroker: string;
  }
}

export interface ClusterServer {
  /** The path of a file. */
  readonly kubeconfig: string;
}

interface Running extends ClusterServer {
  stop(): Promise<void>;
}

const ROOT = path.join(import.meta.dirname, '../..');
const SCRIPT = path.join(ROOT, 'test/cluster/cluster');
const BUILD_MS = 30 * 60_000;
/** The download of envtest has no kube-controller-manager. Then the script builds all programs. */
const NEEDED = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];
const run = promisify(execFile);

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let running: Promise<Running> | undefined;
  const broker = createServer((_request, response) => {
    running ??= start();
    running.then(
      ({ kubeconfig }) => response.end(JSON.stringify({ kubeconfig } satisfies ClusterServer)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  project.provide('clusterBroker', `http://127.0.0.1:${(broker.address() as AddressInfo).port}`);
  return async () => {
    broker.closeAllConnections();
    broker.close();
    // Every test has reported a control plane that did not start.
    const server = await running?.catch(() => undefined);
    await server?.stop();
  };
}

async function start(): Promise<Running> {
  const assets = await findAssets();
  const given = process.env['TEST_KUBECONFIG'];
  const server =
    given === undefined || given === ''
      ? await startControlPlane(assets)
      : { kubeconfig: given, stop: () => Promise.resolve() };
  const kubectl = (...args: string[]) =>
    run(path.join(assets, 'kubectl'), ['--kubeconfig', server.kubeconfig, ...args], { timeout: 240_000 });
  const resources = path.join(ROOT, 'crds');
  if (existsSync(resources)) {
    await kubectl('apply', '--server-side', '--force-conflicts', '-f', resources);
    await kubectl('wait', '--for=condition=Established', '--timeout=200s', '-f', resources);
  }
  return server;
}

/** The folder of the programs; builds them where they are not there. */
export async function findAssets(): Promise<string> {
  const given = process.env['KUBEBUILDER_ASSETS'] ?? '';
  if (given !== '' && NEEDED.every((name) => existsSync(path.join(given, name)))) return given;
  await build();
  const { stdout } = await run(SCRIPT, ['env'], { timeout: 60_000 });
  const built = /KUBEBUILDER_ASSETS=(\S+)/.exec(stdout)?.[1];
  if (built === undefined) throw new Error(`test/cluster/cluster env printed no KUBEBUILDER_ASSETS: ${stdout}`);
  return built;
}

/** Shows its progress; in an instant when all is there. */
async function build(): Promise<void> {
  const child = spawn(SCRIPT, ['build', 'control-plane'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: BUILD_MS,
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error('The API server for tests could not be built: see above.');
}
