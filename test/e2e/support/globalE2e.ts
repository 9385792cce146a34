/** Fails the run at once where there is no cluster, and lets tests find it as those of the tier below do. */
import type { TestProject } from 'vitest/node';
import type { ClusterServer } from '../../support/globalCluster.ts';
import { kubeconfig } from './environment.ts';

export default function setup(project: TestProject): void {
  const server: ClusterServer = { kubeconfig: kubeconfig() };
  project.provide('clusterBroker', `data:application/json,${encodeURIComponent(JSON.stringify(server))}`);
}
