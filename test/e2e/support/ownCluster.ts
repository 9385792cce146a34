/** Controls the cluster of test/cluster, whose components a test may kill. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { isOwnCluster } from './environment.ts';

const CLUSTER = path.join(import.meta.dirname, '../../cluster/cluster');
const LONG_MS = 400_000;

/** @returns true, with a warning, when the tests run on another cluster. */
export function skipUnlessOwnCluster(what: string): boolean {
  if (isOwnCluster()) return false;
  console.warn(`${what}: skipped, because the cluster was not started by test/cluster.`);
  return true;
}

const run = (...args: string[]) => promisify(execFile)(CLUSTER, args, { timeout: LONG_MS });

/** Kills a component with SIGKILL. */
export const kill = (part: 'kube-apiserver' | 'kubelet') => run('kill', part);
/** Restarts killed components and waits until they are ready. */
export const up = () => run('up');
/** Adds a simulated node. */
export const addFakeNode = () => run('fake-nodes', '1');
