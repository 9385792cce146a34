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
import type { ControllerService } from '../service/controllerOptions.ts';
import { startLocalController } from '../service/localController.ts';
import { ownCommand } from '../service/ownCommand.ts';
import { createServiceContext, type ServiceContext, serveHealth } from '../service/serviceContext.ts';
import { ensureDemoOrganization } from './demoOrganization.ts';
import { readDevState } from './devState.ts';
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from './embeddedPostgres.ts';
import { lockFolder } from './folderLock.ts';

export interface DevOptions {
  readonly port: number;
  readonly data: string;
  /** Ranges (CIDR) that captures and deliveries may reach although they are not public, in addition to EGRESS_ALLOW. */
  readonly allow: readonly string[];
}

/** The line that `tearsheet dev --json` prints when the service is ready. */
export interface DevReady {
  readonly url: string;
  readonly organization: string;
  readonly api_key: string;
  readonly webhook_secret: string;
  readonly metrics_url: string;
  readonly database_url: string;
}

const HOST = '127.0.0.1';

/** The parts that are running or starting. */
interface DevParts {
  postgres?: Promise<EmbeddedPostgres>;
  context?: ServiceContext;
  api?: ApiService;
  work?: ControllerService;
  health?: Health;
}

/**
 * Starts the whole service in this process and resolves when it is ready. SIGTERM and SIGINT end it. If the start fails,
 * all started parts are stopped before the error is thrown.
 */
export async function startDev(options: DevOptions): Promise<DevReady> {
  const config = loadConfig(process.env);
  findChromium(config.CHROMIUM_PATH);
  const folder = path.resolve(options.data);
  mkdirSync(path.join(folder, 'pictures'), { recursive: true });
  await lockFolder(folder);
  const parts: DevParts = {};
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

function stepsOf(parts: DevParts, grace: number): ShutdownStep[] {
  const endWork = () => parts.work?.stop(grace) ?? parts.context?.queue.stop({ timeoutMs: grace });
  // A failed start of PostgreSQL has been reported already.
  const endPostgres = async () => (await parts.postgres?.catch(() => undefined))?.stop();
  return [
    { name: 'public API', run: () => parts.api?.publicServer.close(1_000), deadlineMs: grace },
    { name: 'captures, controller and deliveries', run: endWork, deadlineMs: grace + 5_000 },
    { name: 'internal API', run: () => parts.api?.internalServer.close(1_000), deadlineMs: 5_000 },
    { name: 'metrics', run: () => parts.health?.close(), deadlineMs: 2_000 },
    { name: 'connections', run: () => parts.context?.close(), deadlineMs: 5_000 },
    { name: 'PostgreSQL', run: endPostgres, deadlineMs: 15_000 },
  ];
}

async function startParts(
  parts: DevParts,
  { config, folder, port, allow }: DevOptions & { readonly config: Config; readonly folder: string },
): Promise<DevReady> {
  const state = readDevState(folder);
  parts.postgres = startPostgres(folder, state.database_password);
  const postgres = await parts.postgres;
  await migrate(postgres.url);

  const internalPort = await freePort();
  const publicPort = port === 0 ? await freePort() : port;
  const context = await createServiceContext({
    config,
    name: 'dev',
    databaseUrl: postgres.url,
    artifactsUrl: pathToFileURL(path.join(folder, 'pictures')).href,
    publicUrl: config.PUBLIC_URL ?? `http://${HOST}:${publicPort}`,
    internalUrl: `http://${HOST}:${internalPort}`,
    worksQueues: true,
  });
  parts.context = context;
  const demo = await ensureDemoOrganization(context.store.db, { folder, state });
  parts.api = await startApiService(context, {
    host: HOST,
    port: publicPort,
    internalHost: HOST,
    internalPort,
    rateLimited: process.env['RATE_LIMIT_PER_SECOND'] !== undefined,
  });
  parts.work = await startLocalController(context, {
    egressAllow: [...config.EGRESS_ALLOW, ...allow],
    parallelism: process.env['CAPTURE_PARALLELISM'] === undefined ? availableParallelism() : config.CAPTURE_PARALLELISM,
    captureCommand: ownCommand('capture'),
    onSuperseded: () => process.kill(process.pid, 'SIGTERM'),
  });
  parts.health = await serveHealth(context, { host: HOST, port: 0 });
  return { url: context.publicUrl, ...demo, metrics_url: `${parts.health.url}/metrics`, database_url: postgres.url };
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
