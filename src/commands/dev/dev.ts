import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findChromium } from '../../capture/browser/chromium.ts';
import { type Config, loadConfig } from '../../config.ts';
import type { Health } from '../../observe/health.ts';
import { createLogger } from '../../observe/logger.ts';
import { gracefulShutdown, type ShutdownStep } from '../../observe/shutdown.ts';
import { migrate } from '../../store/database/migrate.ts';
import { type ApiService, startApiService } from '../service/apiService.ts';
import { ownCommand } from '../service/entry.ts';
import { createServiceContext, type ServiceContext, serveHealth } from '../service/serviceContext.ts';
import type { WorkService } from '../service/work.ts';
import { startWorkService } from '../service/workService.ts';
import { demoOrganization } from './demoOrganization.ts';
import { readDevState } from './devState.ts';
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from './embeddedPostgres.ts';
import { lockFolder } from './folderLock.ts';

export interface DevOptions {
  readonly port: number;
  readonly data: string;
  /** Ranges (CIDR) that captures and deliveries may reach although they are not public, on top of EGRESS_ALLOW. */
  readonly allow: readonly string[];
}

/** What `tearsheet dev --json` prints when all is ready. */
export interface DevReady {
  readonly url: string;
  readonly organization: string;
  readonly api_key: string;
  readonly webhook_secret: string;
  readonly metrics_url: string;
  readonly database_url: string;
}

const HOST = '127.0.0.1';

/** What runs already, or is being started. */
interface Parts {
  postgres?: Promise<EmbeddedPostgres>;
  base?: ServiceContext;
  api?: ApiService;
  work?: WorkService;
  health?: Health;
}

/**
 * The whole service in this process, on this machine alone. Resolves when it is ready; SIGTERM and SIGINT end it. When it
 * cannot start, it has ended what it had begun.
 */
export async function startDev(options: DevOptions): Promise<DevReady> {
  const config = loadConfig(process.env);
  findChromium(config.CHROMIUM_PATH);
  const folder = path.resolve(options.data);
  mkdirSync(path.join(folder, 'pictures'), { recursive: true });
  await lockFolder(folder);
  const parts: Parts = {};
  const shutDown = gracefulShutdown({
    log: createLogger({ level: config.LOG_LEVEL, name: 'dev' }),
    unready: () => parts.health?.setUnready(),
    steps: stepsOf(parts, config.SHUTDOWN_GRACE_SECONDS * 1_000),
  });
  try {
    return await startParts(parts, { ...options, config, folder });
  } catch (error) {
    await shutDown();
    throw error;
  }
}

function stepsOf(parts: Parts, grace: number): ShutdownStep[] {
  const endWork = () => parts.work?.stop(grace) ?? parts.base?.queue.stop({ timeoutMs: grace });
  // A server that did not start has said so already.
  const endPostgres = async () => (await parts.postgres?.catch(() => undefined))?.stop();
  return [
    { name: 'public API', run: () => parts.api?.publicServer.close(1_000), deadlineMs: grace },
    { name: 'captures, controller and deliveries', run: endWork, deadlineMs: grace + 5_000 },
    { name: 'internal API', run: () => parts.api?.internalServer.close(1_000), deadlineMs: 5_000 },
    { name: 'metrics', run: () => parts.health?.close(), deadlineMs: 2_000 },
    { name: 'connections', run: () => parts.base?.close(), deadlineMs: 5_000 },
    { name: 'PostgreSQL', run: endPostgres, deadlineMs: 15_000 },
  ];
}

async function startParts(
  parts: Parts,
  { config, folder, port, allow }: DevOptions & { readonly config: Config; readonly folder: string },
): Promise<DevReady> {
  const state = readDevState(folder);
  parts.postgres = startPostgres(folder, state.database_password);
  const postgres = await parts.postgres;
  await migrate(postgres.url);

  const internalPort = await freePort();
  const publicPort = port === 0 ? await freePort() : port;
  const base = await createServiceContext({
    config,
    name: 'dev',
    databaseUrl: postgres.url,
    artifactsUrl: pathToFileURL(path.join(folder, 'pictures')).href,
    publicUrl: config.PUBLIC_URL ?? `http://${HOST}:${publicPort}`,
    internalUrl: `http://${HOST}:${internalPort}`,
    worksQueues: true,
  });
  parts.base = base;
  const demo = await demoOrganization(base.store.db, { folder, state });
  parts.api = await startApiService(base, {
    host: HOST,
    port: publicPort,
    internalHost: HOST,
    internalPort,
    rateLimited: process.env['RATE_LIMIT_PER_SECOND'] !== undefined,
  });
  parts.work = await startWorkService(base, {
    egressAllow: [...config.EGRESS_ALLOW, ...allow],
    parallelism: process.env['CAPTURE_PARALLELISM'] === undefined ? availableParallelism() : config.CAPTURE_PARALLELISM,
    captureCommand: ownCommand('capture'),
    onSuperseded: () => process.kill(process.pid, 'SIGTERM'),
  });
  parts.health = await serveHealth(base, { host: HOST, port: 0 });
  return { url: base.publicUrl, ...demo, metrics_url: `${parts.health.url}/metrics`, database_url: postgres.url };
}

function startPostgres(folder: string, password: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    folder: path.join(folder, 'postgres'),
    password,
    onExit: (message) => {
      console.error(`tearsheet: ${message}`);
      process.exit(1);
    },
  });
}
