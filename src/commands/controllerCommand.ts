import type { Command } from 'commander';
import { gracefulShutdown } from '../observe/shutdown.ts';
import { ownCommand } from './service/entry.ts';
import { foundationFromEnvironment, serveHealth } from './service/foundation.ts';
import { startWorkService } from './service/workService.ts';

export function controllerCommand(program: Command): void {
  program
    .command('controller')
    .description('launches, reconciles, settles and delivers; captures run as child processes of it. One at a time.')
    .action(async () => {
      const base = await foundationFromEnvironment({ name: 'controller', worksQueues: true });
      const { config } = base;
      const work = await startWorkService(base, {
        egressAllow: config.EGRESS_ALLOW,
        parallelism: config.CAPTURE_PARALLELISM,
        captureCommand: ownCommand('capture'),
        onSuperseded: () => process.kill(process.pid, 'SIGTERM'),
      });
      const health = await serveHealth(base, { host: config.HOST, port: config.METRICS_PORT });
      const grace = config.SHUTDOWN_GRACE_SECONDS * 1_000;
      gracefulShutdown({
        log: base.log,
        unready: () => health.setUnready(),
        steps: [
          { name: 'captures, controller and deliveries', run: () => work.stop(grace), deadlineMs: grace + 5_000 },
          { name: 'metrics', run: () => health.close(), deadlineMs: 2_000 },
          { name: 'connections', run: () => base.close(), deadlineMs: 5_000 },
        ],
      });
      base.log.info({}, 'ready');
    });
}
