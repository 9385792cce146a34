import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { issueJobToken } from '../../api/auth/jobToken.ts';
import { createLocalCluster } from '../../cluster/local/localCluster.ts';
import { startController } from '../../controller/controller.ts';
import type { ServiceContext } from './serviceContext.ts';
import { commonSettings, controllerParts, deliver, measure, type WorkService } from './work.ts';

export interface WorkOptions {
  readonly egressAllow: readonly string[];
  readonly parallelism: number;
  /** Program and arguments of a capture. */
  readonly captureCommand: readonly string[];
  /** Another leader has begun: the process should end. */
  readonly onSuperseded: () => void;
}

/** A child process costs more to start than to go on: an index takes more pages than in a cluster. */
const PAGES_PER_INDEX = 12;

/** What a capture may see of this process's environment: never an address of the database, never a key. */
const CAPTURE_ENVIRONMENT = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'CHROMIUM_PATH',
  'CHROMIUM_SANDBOX',
  'LOG_LEVEL',
  'NAVIGATION_TIMEOUT_MS',
  'SETTLE_CAP_MS',
  'CREATIVE_DEADLINE_MS',
  'CREATIVES_AT_ONCE',
  'PAGES_AT_ONCE',
];

/** Controller, captures as child processes of this one, and deliveries. */
export async function startWorkService(base: ServiceContext, options: WorkOptions): Promise<WorkService> {
  const { config, queue, log, installation, publicUrl, internalUrl } = base;
  const { parallelism, egressAllow, captureCommand } = options;
  const cluster = createLocalCluster({
    captureCommand,
    maxPods: parallelism,
    log: log.child({ part: 'cluster' }),
    env: captureEnvironment(egressAllow),
  });
  await deliver(base, egressAllow);
  const controller = await startController({
    ...controllerParts(base),
    cluster,
    issueToken: (jobId, expiresAt) => issueJobToken(installation.secret, jobId, expiresAt),
    onSuperseded: options.onSuperseded,
    settings: {
      ...commonSettings(config),
      // Captures are children of this machine: what it cannot run yet waits in Postgres, where it is gathered.
      maxPods: Math.min(config.MAX_PODS, 2 * parallelism),
      parallelism,
      pagesPerIndex: PAGES_PER_INDEX,
      internalUrl,
      publicUrl,
      isLocal: true,
    },
  });
  measure(base, { controller, cluster });
  return {
    async stop(graceMs) {
      await controller.stop();
      await cluster.close();
      await queue.stop({ timeoutMs: graceMs });
    },
  };
}

function captureEnvironment(egressAllow: readonly string[]): Record<string, string> {
  const entries = CAPTURE_ENVIRONMENT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const compiled = getCompileCacheDir();
  // As many captures run as there are processors: each gets one browser for creatives, not two.
  return {
    CREATIVES_AT_ONCE: '1',
    // A capture's own folder for temporary files goes with it; what it has compiled is for the next one. The service reads none of it.
    ...(compiled !== undefined && { NODE_COMPILE_CACHE: path.join(compiled, 'captures') }),
    ...Object.fromEntries(entries),
    EGRESS_ALLOW: egressAllow.join(','),
    TEARSHEET_PARENT_STDIN: '1',
  };
}
