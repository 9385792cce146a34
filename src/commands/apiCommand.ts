import type { Command } from 'commander';
import { ConfigError } from '../config.ts';
import { gracefulShutdown } from '../observe/shutdown.ts';
import type { ServiceContext } from './service/serviceContext.ts';
import type { TlsFiles } from './service/tlsFiles.ts';

/** @throws ConfigError */
function internalTlsOf({ config, log }: Pick<ServiceContext, 'config' | 'log'>): TlsFiles | undefined {
  const { INTERNAL_TLS_CERT: certFile, INTERNAL_TLS_KEY: keyFile, INTERNAL_URL = '' } = config;
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new ConfigError('Only one of INTERNAL_TLS_CERT and INTERNAL_TLS_KEY is set. Set both or none.');
  if (!INTERNAL_URL.startsWith('https:'))
    throw new ConfigError(`INTERNAL_URL is "${INTERNAL_URL}". With INTERNAL_TLS_CERT it must start with https://.`);
  return { certFile, keyFile, log };
}

export function apiCommand(program: Command): void {
  program
    .command('api')
    .description('serve the public API, the pages and the internal API on a migrated database')
    .action(async () => {
      const { startApiService } = await import('./service/apiService.ts');
      const { connectPodAuthority } = await import('./service/podAuthority.ts');
      const { DATABASE_WAIT_SECONDS, serveHealth, serviceContextFromEnvironment } = await import(
        './service/serviceContext.ts'
      );
      const context = await serviceContextFromEnvironment({
        name: 'api',
        worksQueues: false,
        databaseWaitSeconds: DATABASE_WAIT_SECONDS,
      });
      const { config } = context;
      const { HOST: host, PORT: port, INTERNAL_PORT: internalPort, METRICS_PORT } = config;
      const pods = config.CLUSTER === 'kubernetes' ? await connectPodAuthority(context) : undefined;
      const ports = {
        host,
        port,
        internalHost: host,
        internalPort,
        rateLimited: true,
        egressAllow: config.EGRESS_ALLOW,
      };
      const internalTls = internalTlsOf(context);
      const api = await startApiService(context, {
        ...ports,
        internalTls,
        ...(pods && { authenticator: pods.authenticator }),
      });
      const health = await serveHealth(context, { host, port: METRICS_PORT });
      const grace = config.SHUTDOWN_GRACE_SECONDS * 1_000;
      gracefulShutdown({
        log: context.log,
        unready: () => health.setUnready(),
        steps: [
          { name: 'public API', run: () => api.publicServer.close(grace), deadlineMs: grace + 1_000 },
          { name: 'internal API', run: () => api.internalServer.close(grace), deadlineMs: grace + 1_000 },
          { name: 'queue', run: () => context.queue.stop({ timeoutMs: 2_000 }), deadlineMs: 5_000 },
          { name: 'metrics', run: () => health.close(), deadlineMs: 2_000 },
          { name: 'connections', run: () => Promise.all([context.close(), pods?.close()]), deadlineMs: 5_000 },
        ],
      });
      context.log.info({ port: api.publicServer.port, internalPort: api.internalServer.port }, 'ready');
    });
}
