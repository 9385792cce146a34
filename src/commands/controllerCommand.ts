import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { startHealth } from '../observe/health.ts';
import { gracefulShutdown } from '../observe/shutdown.ts';
import { ownCommand } from './service/entry.ts';
import { databaseCheck, layFoundation } from './service/foundation.ts';
import { startWorkService } from './service/workService.ts';

export function controllerCommand(program: Command): void {
  program
    .command('controller')
    .description('launches, reconciles, settles and delivers; captures run as child processes of it. One at a time.')
    .action(async () => {
      const config = loadConfig(process.env, ['DATABASE_URL', 'ARTIFACTS_URL', 'PUBLIC_URL', 'INTERNAL_URL']);
      const base = await layFoundation({
        config,
        name: 'controller',
        databaseUrl: config.DATABASE_URL ?? '',
        artifactsUrl: config.ARTIFACTS_URL ?? '',
        publicUrl: config.PUBLIC_URL ?? '',
        internalUrl: config.INTERNAL_URL ?? '',
        worksQueues: true,
      });
      const work = await startWorkService(base, {
        egressAllow: config.EGRESS_ALLOW,
        parallelism: config.CAPTURE_PARALLELISM,
        captureCommand: ownCommand('capture'),
        onSuperseded: () => process.kill(process.pid, 'SIGTERM'),
      });
      const { HOST: host, METRICS_PORT: port } = config;
      const health = await startHealth({
        host,
        port,
        checks: { database: databaseCheck(base) },
        metrics: base.metrics,
      });
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
