import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { issueJobToken } from '../../api/auth/jobToken.ts';
import { LocalCluster } from '../../cluster/local/localCluster.ts';
import { removeLeftPodFolders } from '../../cluster/local/localPod.ts';
import { ownCommand } from '../version.ts';
import { type ControllerService, type EgressOptions, startLeader, startQueueWork } from './controllerOptions.ts';
import type { ServiceContext } from './serviceContext.ts';

export interface LocalControllerOptions {
  readonly egress: EgressOptions;
  readonly parallelism: number;
  /** Another capture program and its arguments, for tests. */
  readonly captureCommand?: readonly string[];
}

/** Starting a child process costs more than another page, so an index has more pages than in a cluster. */
const PAGES_PER_INDEX = 12;

/** The environment variables that a capture gets from this process. Database URLs and keys must never be among them. */
const CAPTURE_ENVIRONMENT = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'CHROMIUM_PATH',
  'CHROMIUM_SANDBOX',
  'LOG_LEVEL',
  'NAVIGATION_TIMEOUT_MS',
];

/** Starts the controller and the deliveries. Captures run as child processes. */
export async function startLocalController(
  context: ServiceContext,
  options: LocalControllerOptions,
): Promise<ControllerService> {
  const { config, queue, log, installation } = context;
  const { parallelism, egress, captureCommand = ownCommand('capture') } = options;
  await removeFoldersOfKilledControllers(log);
  const cluster = new LocalCluster({
    captureCommand,
    maxPods: parallelism,
    log: log.child({ part: 'cluster' }),
    env: captureEnvironment(egress),
  });
  const deliveries = await startQueueWork(context, egress);
  const controller = await startLeader(context, {
    cluster,
    issueToken: (jobId, expiresAt) => issueJobToken(installation.secret, jobId, expiresAt),
    // Another leader has taken over, so this process must exit.
    onSuperseded: () => process.kill(process.pid, 'SIGTERM'),
    settings: {
      // Work that this machine cannot run yet waits in PostgreSQL, where a capture that is done can take it.
      maxPods: Math.min(config.MAX_PODS, parallelism),
      parallelism,
      pagesPerIndex: PAGES_PER_INDEX,
      isLocal: true,
    },
  });
  return {
    async stop(graceMs) {
      await controller.stop();
      await cluster.close();
      await Promise.all([deliveries.stop(graceMs), queue.stop({ timeoutMs: graceMs })]);
    },
  };
}

/** A folder that cannot be removed must not prevent the start. */
async function removeFoldersOfKilledControllers(log: ServiceContext['log']): Promise<void> {
  try {
    const removed = await removeLeftPodFolders();
    if (removed > 0) log.info({ removed }, 'removed temporary folders of captures that a killed controller had left');
  } catch (error) {
    log.warn({ err: error }, 'temporary folders of earlier captures could not be removed; the next start tries again');
  }
}

function captureEnvironment({ allow, allowWith }: EgressOptions): Record<string, string> {
  const entries = CAPTURE_ENVIRONMENT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const compiled = getCompileCacheDir();
  return {
    // A capture deletes its temporary folder. The compile cache stays for the next capture; the service does not read it.
    ...(compiled !== undefined && { NODE_COMPILE_CACHE: path.join(compiled, 'captures') }),
    ...Object.fromEntries(entries),
    EGRESS_ALLOW: allow.join(','),
    ...(allowWith !== undefined && { TEARSHEET_ALLOW_WITH: allowWith }),
    TEARSHEET_PARENT_STDIN: '1',
  };
}
