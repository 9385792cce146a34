import type { ClusterPort } from '../../src/cluster/port.ts';

/** Wraps a cluster and replaces some of its calls. */
export const overrideCluster = (change: (cluster: ClusterPort) => Partial<ClusterPort>) => (cluster: ClusterPort) => {
  const changed = change(cluster);
  return new Proxy(cluster, {
    get(target, name) {
      const call: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name);
      return typeof call === 'function' ? call.bind(target) : call;
    },
  });
};
