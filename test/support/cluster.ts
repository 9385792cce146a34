/** Gives a test a namespace of its own in the shared test cluster. */
import { randomBytes } from 'node:crypto';
import { ApiException, CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { inject } from 'vitest';
import { eventually } from './eventually.ts';
import type { ClusterServer } from './globalCluster.ts';

export interface TestNamespace {
  readonly name: string;
  /** Has the rights of cluster-admin. */
  readonly config: KubeConfig;
  /** The path of the file that `config` was read from. */
  readonly kubeconfig: string;
  /** Deletes the namespace. With `waits`, returns when all its objects are gone. */
  remove(options?: { waits?: boolean }): Promise<void>;
}

/** The first call of a run waits for the cluster to start. */
async function testKubeconfig(): Promise<string> {
  const response = await fetch(inject('clusterBroker'), { signal: AbortSignal.timeout(35 * 60_000) });
  if (!response.ok) throw new Error(`No cluster for this test: ${await response.text()}`);
  return ((await response.json()) as ClusterServer).kubeconfig;
}

/**
 * A fresh namespace that enforces Pod Security "restricted".
 * @param label the beginning of its name.
 * @param given the path of a kubeconfig; outside of vitest it must be given.
 */
export async function testNamespace(label = 'test', given?: string): Promise<TestNamespace> {
  const kubeconfig = given ?? (await testKubeconfig());
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const name = `${label}-${randomBytes(4).toString('hex')}`;
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted', 'tearsheet.dev/test': 'true' };
  await core.createNamespace({ body: { metadata: { name, labels } } });
  // The API server rejects pods until the service account exists.
  await eventually(() => core.readNamespacedServiceAccount({ name: 'default', namespace: name }));
  const remove = async ({ waits = false } = {}) => {
    await core.deleteNamespace({ name }).catch(unlessGone);
    if (waits) await eventually(() => expectGone(core, name));
  };
  return { name, config, kubeconfig, remove };
}

async function expectGone(core: CoreV1Api, name: string): Promise<void> {
  const found = await core.readNamespace({ name }).catch(unlessGone);
  if (found !== undefined) throw new Error(`The namespace ${name} is still there: ${JSON.stringify(found.status)}`);
}

function unlessGone(error: unknown): undefined {
  if (error instanceof ApiException && error.code === 404) return undefined;
  throw error;
}
