import path from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../config.ts';
import { gracefulShutdown, SHUTDOWN_GRACE_MS } from '../observe/shutdown.ts';
import type { TlsFiles } from './service/httpServer.ts';
import type { ServiceContext } from './service/serviceContext.ts';

/** @throws ConfigError */
function internalTlsOf({ config, log }: Pick<ServiceContext, 'config' | 'log'>): TlsFiles | undefined {
  const { INTERNAL_TLS_FOLDER: folder, INTERNAL_URL = '' } = config;
  if (folder === undefined) return undefined;
  if (!INTERNAL_URL.startsWith('https:'))
    throw new ConfigError(`INTERNAL_URL is "${INTERNAL_URL}". With INTERNAL_TLS_FOLDER it must start with https://.`);
  return { certFile: path.join(folder, 'tls.crt'), keyFile: path.join(folder, 'tls.key'), log };
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
      const pods = config.CAPTURE_PROFILE === undefined ? undefined : await connectPodAuthority(context);
      const api = await startApiService(context, {
        ...{ host, port, internalPort, rateLimited: true, egressAllow: config.EGRESS_ALLOW },
        internalTls: internalTlsOf(context),
        ...(pods && { authenticator: pods.authenticator }),
      });
      const health = await serveHealth(context, { host, port: METRICS_PORT });
      gracefulShutdown({
        log: context.log,
        unready: () => health.setUnready(),
        steps: [
          {
            name: 'public API',
            run: () => api.publicServer.close(SHUTDOWN_GRACE_MS),
            deadlineMs: SHUTDOWN_GRACE_MS + 1_000,
          },
          {
            name: 'internal API',
            run: () => api.internalServer.close(SHUTDOWN_GRACE_MS),
            deadlineMs: SHUTDOWN_GRACE_MS + 1_000,
          },
          { name: 'queue', run: () => context.queue.stop({ timeoutMs: 2_000 }), deadlineMs: 5_000 },
          { name: 'metrics', run: () => health.close(), deadlineMs: 2_000 },
          { name: 'connections', run: () => Promise.all([context.close(), pods?.close()]), deadlineMs: 5_000 },
        ],
      });
      context.log.info({ port: api.publicServer.port, internalPort: api.internalServer.port }, 'ready');
    });
}
