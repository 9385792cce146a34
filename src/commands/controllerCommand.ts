import type { Command } from 'commander';
import { gracefulShutdown } from '../observe/shutdown.ts';
import { startClusterService } from './service/clusterService.ts';
import { ownCommand } from './service/entry.ts';
import { type ServiceContext, serveHealth, serviceContextFromEnvironment } from './service/serviceContext.ts';
import type { WorkService } from './service/work.ts';
import { startWorkService } from './service/workService.ts';

/** Of a leader that leads no more: another one has begun, or soon will. */
const LOST_GRACE_MS = 5_000;

export function controllerCommand(program: Command): void {
  program
    .command('controller')
    .description(
      'launches, reconciles, settles and delivers; captures run as child processes of it (one at a time), or as pods (CLUSTER=kubernetes, any number of it: one leads)',
    )
    .action(async () => {
      const base = await serviceContextFromEnvironment({ name: 'controller', worksQueues: true });
      const { config } = base;
      const begin = config.CLUSTER === 'kubernetes' ? workOnCluster : workOnThisMachine;
      const ending: Ending = { shutDown: undefined };
      const work = await begin(base, ending);
      const health = await serveHealth(base, { host: config.HOST, port: config.METRICS_PORT });
      const grace = config.SHUTDOWN_GRACE_SECONDS * 1_000;
      ending.shutDown = gracefulShutdown({
        log: base.log,
        unready: () => health.setUnready(),
        steps: [
          { name: 'captures, controller and deliveries', run: () => work.stop(grace), deadlineMs: grace + 5_000 },
          { name: 'metrics', run: () => health.close(), deadlineMs: 2_000 },
          { name: 'connections', run: () => base.close(), deadlineMs: 5_000 },
        ],
      });
      base.log.info({ cluster: config.CLUSTER }, 'ready');
    });
}

interface Ending {
  /** Undefined while it is still starting. */
  shutDown: (() => Promise<number>) | undefined;
}

function workOnThisMachine(base: ServiceContext): Promise<WorkService> {
  const { config } = base;
  return startWorkService(base, {
    egressAllow: config.EGRESS_ALLOW,
    parallelism: config.CAPTURE_PARALLELISM,
    captureCommand: ownCommand('capture'),
    onSuperseded: () => process.kill(process.pid, 'SIGTERM'),
  });
}

async function workOnCluster(base: ServiceContext, ending: Ending): Promise<WorkService> {
  let lost = false;
  const work = await startClusterService(base, (reason) => {
    if (lost) return;
    lost = true;
    base.log.error({ reason }, 'this controller leads no more, and ends');
    work.halt();
    // Deliveries may end well; but the process must not stay.
    setTimeout(() => process.exit(1), LOST_GRACE_MS).unref();
    void (ending.shutDown?.() ?? Promise.resolve()).finally(() => process.exit(1));
  });
  return work;
}
