import type { Command } from 'commander';
import { gracefulShutdown, SHUTDOWN_GRACE_MS } from '../observe/shutdown.ts';
import type { ControllerService } from './service/controllerOptions.ts';
import type { ServiceContext } from './service/serviceContext.ts';

/** The time to shut down after leadership was lost, because another controller takes over. */
const LOST_GRACE_MS = 5_000;

export function controllerCommand(program: Command): void {
  program
    .command('controller')
    .description(
      'launch, reconcile, settle and deliver; captures run as child processes, or as pods with CAPTURE_PROFILE, where several controllers elect a leader',
    )
    .action(async () => {
      const { DATABASE_WAIT_SECONDS, serveHealth, serviceContextFromEnvironment } = await import(
        './service/serviceContext.ts'
      );
      const context = await serviceContextFromEnvironment({
        name: 'controller',
        worksQueues: true,
        databaseWaitSeconds: DATABASE_WAIT_SECONDS,
      });
      const { config } = context;
      const start = config.CAPTURE_PROFILE === undefined ? startOnThisMachine : startOnCluster;
      const handle: ShutdownHandle = { shutDown: undefined };
      const service = await start(context, handle);
      const health = await serveHealth(context, { host: config.HOST, port: config.METRICS_PORT }, service.checks);
      handle.shutDown = gracefulShutdown({
        log: context.log,
        unready: () => health.setUnready(),
        steps: [
          {
            name: 'captures, controller and deliveries',
            run: () => service.stop(SHUTDOWN_GRACE_MS),
            deadlineMs: SHUTDOWN_GRACE_MS + 5_000,
          },
          { name: 'metrics', run: () => health.close(), deadlineMs: 2_000 },
          { name: 'connections', run: () => context.close(), deadlineMs: 5_000 },
        ],
      });
      context.log.info({}, 'ready');
    });
}

interface ShutdownHandle {
  /** Undefined while the process is starting. */
  shutDown: (() => Promise<number>) | undefined;
}

async function startOnThisMachine(context: ServiceContext): Promise<ControllerService> {
  const { startLocalController } = await import('./service/localController.ts');
  const { config } = context;
  return startLocalController(context, {
    egress: { allow: config.EGRESS_ALLOW },
    parallelism: config.CAPTURE_PARALLELISM,
  });
}

async function startOnCluster(context: ServiceContext, handle: ShutdownHandle): Promise<ControllerService> {
  const { startKubernetesController } = await import('./service/kubernetesController.ts');
  let lost = false;
  const service = await startKubernetesController(context, (reason) => {
    if (lost) return;
    lost = true;
    context.log.error({ reason }, 'lost leadership, exiting');
    service.halt();
    // Deliveries in progress get some time to end, but the process must exit.
    setTimeout(() => process.exit(1), LOST_GRACE_MS).unref();
    void (handle.shutDown?.() ?? Promise.resolve()).finally(() => process.exit(1));
  });
  return service;
}
