/** The Lease of the leader on a real API server with its garbage collector. */
import { CoordinationV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type ClientTestEnvironment, createEnvironment } from './environment.ts';

let env: ClientTestEnvironment;
beforeAll(async () => {
  env = await createEnvironment('lease');
});
afterAll(() => env?.close());

test('Kubernetes deletes the Lease after the ConfigMap of its release', async () => {
  const namespace = env.namespace.name;
  const [name, leaseName] = ['release', 'controller'];
  const leases = env.namespace.config.makeApiClient(CoordinationV1Api);
  await env.core.createNamespacedConfigMap({ namespace, body: { metadata: { name } } });
  const cluster = await env.connect();
  const elected = new Promise<void>((onElected, reject) => {
    const onLost = (reason: string) => reject(new Error(reason));
    const elector = cluster.startElector({
      ...{ identity: 'us', leaseName, leaseOwner: name },
      onElected: () => onElected(elector.stop()),
      onLost,
    });
  });
  await elected;
  const lease = await leases.readNamespacedLease({ namespace, name: leaseName });
  expect(lease.metadata?.ownerReferences).toMatchObject([{ kind: 'ConfigMap', name }]);
  await env.core.deleteNamespacedConfigMap({ namespace, name });
  await eventually(async () => {
    const { items } = await leases.listNamespacedLease({ namespace });
    expect(items).toEqual([]);
  });
});
