/** Fails the run at once when there is no cluster, and provides the cluster to tests as the project `cluster` does. */
import type { TestProject } from 'vitest/node';
import type { ClusterServer } from '../../support/globalCluster.ts';
import { kubeconfig } from './environment.ts';

export default function setup(project: TestProject): void {
  const server: ClusterServer = { kubeconfig: kubeconfig() };
  project.provide('clusterBroker', `data:application/json,${encodeURIComponent(JSON.stringify(server))}`);
}
