import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findChromium } from '../../capture/browser/chromium.ts';
import { type Config, loadConfig } from '../../config.ts';
import { createSignInLink } from '../../core/people/signInLinks.ts';
import { migrate } from '../../db/migrate.ts';
import { KeyRing } from '../../lib/keyRing.ts';
import type { Health } from '../../observe/health.ts';
import { createLogger } from '../../observe/logger.ts';
import { gracefulShutdown, SHUTDOWN_GRACE_MS, type ShutdownStep } from '../../observe/shutdown.ts';
import { type ApiService, startApiService } from '../service/apiService.ts';
import type { ControllerService } from '../service/controllerOptions.ts';
import { portNumber } from '../service/httpServer.ts';
import { startLocalController } from '../service/localController.ts';
import { createServiceContext, type ServiceContext, serveHealth } from '../service/serviceContext.ts';
import { version } from '../version.ts';
import { ensureDemoOrganization, ensureSamplePerson, lockFolder, readDevState } from './devState.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embeddedPostgres.ts';
import { holdFreePort } from './ports.ts';
import { type SamplePage, startSamplePage } from './samplePage.ts';

export interface DevOptions {
  readonly port: number;
  readonly data: string;
  /** Ranges that captures and deliveries may reach although they are not public, in addition to EGRESS_ALLOW. */
  readonly allow: readonly string[];
}

/** The line that `tearsheet dev --json` prints when the service is ready. */
export interface DevReady {
  readonly url: string;
  readonly organization: string;
  readonly api_key: string;
  readonly webhook_secret: string;
  /** Signs in a person once, within ten minutes. */
  readonly sign_in_url: string;
  /** A page with ad slots, and an ad, that captures may reach. */
  readonly sample_url: string;
  readonly sample_ad_url: string;
  readonly metrics_url: string;
  readonly database_url: string;
  /** SECRETS_KEYS for operator commands on this database; null if the environment gave them. */
  readonly secrets_keys: string | null;
  readonly version: string;
}

const HOST = '127.0.0.1';

/** The parts that are running or starting. */
interface DevParts {
  postgres?: Promise<EmbeddedPostgres>;
  context?: ServiceContext;
  api?: ApiService;
  work?: ControllerService;
  sample?: SamplePage;
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
    log: createLogger({ level: config.LOG_LEVEL, name: 'dev', stream: 'stderr' }),
    unready: () => parts.health?.setUnready(),
    steps: stepsOf(parts, SHUTDOWN_GRACE_MS),
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
    { name: 'sample page', run: () => parts.sample?.server.close(1_000), deadlineMs: 5_000 },
    { name: 'metrics', run: () => parts.health?.close(), deadlineMs: 5_000 },
    { name: 'connections', run: () => parts.context?.close(), deadlineMs: 5_000 },
    // A start of PostgreSQL cannot be interrupted. A first one creates its files.
    { name: 'PostgreSQL', run: endPostgres, deadlineMs: 90_000 },
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

  // Held from here on, because the addresses are stored some seconds before the servers listen.
  const internalPort = await holdFreePort();
  const publicPort = port === 0 ? await holdFreePort() : port;
  const settings = {
    DATABASE_URL: postgres.url,
    ARTIFACTS_URL: pathToFileURL(path.join(folder, 'pictures')).href,
    PUBLIC_URL: config.PUBLIC_URL ?? `http://${HOST}:${portNumber(publicPort)}`,
    INTERNAL_URL: `http://${HOST}:${portNumber(internalPort)}`,
  };
  const SECRETS_KEYS = config.SECRETS_KEYS ?? KeyRing.parse(state.secrets_keys);
  const context = await createServiceContext({
    config: { ...config, ...settings, SECRETS_KEYS },
    name: 'dev',
    logStream: 'stderr',
    worksQueues: true,
  });
  parts.context = context;
  const sample = await startSamplePage(state.sample_port);
  parts.sample = sample;
  const demo = await ensureDemoOrganization(context.store.db, {
    folder,
    state: { ...state, settings, sample_port: sample.server.port },
  });
  parts.api = await startApiService(context, {
    host: HOST,
    port: publicPort,
    portSetting: '--port',
    internalPort,
    egressAllow: [...config.EGRESS_ALLOW, ...allow],
    rateLimited: process.env['RATE_LIMIT_PER_SECOND'] !== undefined,
  });
  parts.work = await startLocalController(context, {
    egress: { allow: [...config.EGRESS_ALLOW, ...allow, sample.address], allowWith: 'flag' },
    parallelism: process.env['CAPTURE_PARALLELISM'] === undefined ? availableParallelism() : config.CAPTURE_PARALLELISM,
  });
  parts.health = await serveHealth(context, { host: HOST, port: 0 });
  return {
    url: context.publicUrl,
    ...demo,
    sign_in_url: await signInUrl(context, demo.organization),
    sample_url: sample.url,
    sample_ad_url: sample.bannerUrl,
    metrics_url: `${parts.health.url}/metrics`,
    database_url: postgres.url,
    secrets_keys: config.SECRETS_KEYS === undefined ? state.secrets_keys : null,
    version: version(),
  };
}

/** @returns a link that signs in the sample person, an owner, without a mail. */
async function signInUrl({ store: { db }, publicUrl }: ServiceContext, organization: string): Promise<string> {
  const token = await db.transaction().execute(async (tx) => {
    const userId = await ensureSamplePerson(tx, organization);
    return createSignInLink(tx, { userId, browser: undefined, next: `${pathOf(publicUrl)}/o/${organization}` });
  });
  return `${publicUrl}/sign-in/${token}`;
}

const pathOf = (url: string) => new URL(url).pathname.replace(/\/+$/, '');

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
