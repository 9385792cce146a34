import type { Command } from 'commander';
import { ConfigError } from '../config.ts';
import { gracefulShutdown } from '../observe/shutdown.ts';
import { startApiService } from './service/apiService.ts';
import { connectPodAuthority } from './service/podAuthority.ts';
import { type ServiceContext, serveHealth, serviceContextFromEnvironment } from './service/serviceContext.ts';
import type { TlsFiles } from './service/tlsFiles.ts';

/** @throws ConfigError */
function internalTlsOf({ config, log }: Pick<ServiceContext, 'config' | 'log'>): TlsFiles | undefined {
  const { INTERNAL_TLS_CERT: certFile, INTERNAL_TLS_KEY: keyFile, INTERNAL_URL = '' } = config;
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new ConfigError('INTERNAL_TLS_CERT and INTERNAL_TLS_KEY go together.');
  if (!INTERNAL_URL.startsWith('https:'))
    throw new ConfigError(`INTERNAL_URL is "${INTERNAL_URL}": with INTERNAL_TLS_CERT it must begin with https://.`);
  return { certFile, keyFile, log };
}

export function apiCommand(program: Command): void {
  program
    .command('api')
    .description('public API, pages and internal API, on a migrated database; settings from the environment')
    .action(async () => {
      const base = await serviceContextFromEnvironment({ name: 'api', worksQueues: false });
      const { config } = base;
      const { HOST: host, PORT: port, INTERNAL_PORT: internalPort, METRICS_PORT } = config;
      const pods = config.CLUSTER === 'kubernetes' ? await connectPodAuthority(base) : undefined;
      const ports = { host, port, internalHost: host, internalPort, rateLimited: true };
      const internalTls = internalTlsOf(base);
      const api = await startApiService(base, {
        ...ports,
        internalTls,
        ...(pods && { authenticator: pods.authenticator }),
      });
      const health = await serveHealth(base, { host, port: METRICS_PORT });
      const grace = config.SHUTDOWN_GRACE_SECONDS * 1_000;
      gracefulShutdown({
        log: base.log,
        unready: () => health.setUnready(),
        steps: [
          { name: 'public API', run: () => api.publicServer.close(grace), deadlineMs: grace + 1_000 },
          { name: 'internal API', run: () => api.internalServer.close(grace), deadlineMs: grace + 1_000 },
          { name: 'queue', run: () => base.queue.stop({ timeoutMs: 2_000 }), deadlineMs: 5_000 },
          { name: 'metrics', run: () => health.close(), deadlineMs: 2_000 },
          { name: 'connections', run: () => Promise.all([base.close(), pods?.close()]), deadlineMs: 5_000 },
        ],
      });
      base.log.info({ port: api.publicServer.port, internalPort: api.internalServer.port }, 'ready');
    });
}
