/** The cluster of test/cluster, whose parts a test may take down. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { isOwnCluster } from './environment.ts';

const CLUSTER = path.join(import.meta.dirname, '../../cluster/cluster');
const LONG_MS = 200_000;

/** Skips, and says why, on another one. */
export function skipsElsewhere(what: string): boolean {
  if (isOwnCluster()) return false;
  console.warn(`${what}: skipped, for the cluster is not of test/cluster.`);
  return true;
}

const run = (...args: string[]) => promisify(execFile)(CLUSTER, args, { timeout: LONG_MS });

/** With SIGKILL. */
export const kill = (part: 'kube-apiserver' | 'kubelet') => run('kill', part);
/** Starts again what was killed, and waits until it is ready. */
export const up = () => run('up');
/** Nodes that need no machine, beside the real one. */
export const addFakeNode = () => run('fake-nodes', '1');
