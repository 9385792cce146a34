import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findChromium } from '../../capture/browser/chromium.ts';
import { loadConfig } from '../../config.ts';
import { gracefulShutdown } from '../../observe/shutdown.ts';
import { createKey } from '../../store/apiKeys.ts';
import type { Database } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { createOrganization, findOrganization } from '../../store/organizations.ts';
import { startApiService } from '../service/apiService.ts';
import { ownCommand } from '../service/entry.ts';
import { layFoundation, serveHealth } from '../service/foundation.ts';
import { startWorkService } from '../service/workService.ts';
import { type DevState, readDevState, writeDevState } from './devState.ts';
import { freePort, startEmbeddedPostgres } from './embeddedPostgres.ts';
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
const ORGANIZATION = 'demo';

/** The whole service in this process, on this machine alone. Resolves when it is ready; SIGTERM and SIGINT end it. */
export async function startDev({ port, data, allow }: DevOptions): Promise<DevReady> {
  const config = loadConfig(process.env);
  findChromium(config.CHROMIUM_PATH);
  const folder = path.resolve(data);
  mkdirSync(path.join(folder, 'pictures'), { recursive: true });
  await lockFolder(folder);
  const state = readDevState(folder);
  const postgres = await startEmbeddedPostgres({
    folder: path.join(folder, 'postgres'),
    password: state.database_password,
    onExit: (message) => {
      console.error(`tearsheet: ${message}`);
      process.exit(1);
    },
  });
  await migrate(postgres.url);

  const internalPort = await freePort();
  const publicPort = port === 0 ? await freePort() : port;
  const base = await layFoundation({
    config,
    name: 'dev',
    databaseUrl: postgres.url,
    artifactsUrl: pathToFileURL(path.join(folder, 'pictures')).href,
    publicUrl: config.PUBLIC_URL ?? `http://${HOST}:${publicPort}`,
    internalUrl: `http://${HOST}:${internalPort}`,
    worksQueues: true,
  });
  const demo = await demoOrganization(base.store.db, { folder, state });
  const api = await startApiService(base, {
    host: HOST,
    port: publicPort,
    internalHost: HOST,
    internalPort,
    rateLimited: process.env['RATE_LIMIT_PER_SECOND'] !== undefined,
  });
  const work = await startWorkService(base, {
    egressAllow: [...config.EGRESS_ALLOW, ...allow],
    parallelism: process.env['CAPTURE_PARALLELISM'] === undefined ? availableParallelism() : config.CAPTURE_PARALLELISM,
    captureCommand: ownCommand('capture'),
    onSuperseded: () => process.kill(process.pid, 'SIGTERM'),
  });
  const health = await serveHealth(base, { host: HOST, port: 0 });

  const grace = config.SHUTDOWN_GRACE_SECONDS * 1_000;
  gracefulShutdown({
    log: base.log,
    unready: () => health.setUnready(),
    steps: [
      { name: 'public API', run: () => api.publicServer.close(1_000), deadlineMs: grace },
      { name: 'captures, controller and deliveries', run: () => work.stop(grace), deadlineMs: grace + 5_000 },
      { name: 'internal API', run: () => api.internalServer.close(1_000), deadlineMs: 5_000 },
      { name: 'metrics', run: () => health.close(), deadlineMs: 2_000 },
      { name: 'connections', run: () => base.close(), deadlineMs: 5_000 },
      { name: 'PostgreSQL', run: () => postgres.stop(), deadlineMs: 15_000 },
    ],
  });
  return { url: base.publicUrl, ...demo, metrics_url: `${health.url}/metrics`, database_url: postgres.url };
}

/** Made once; its key is kept in the data folder, so that each start prints the same. */
async function demoOrganization(
  db: Database,
  { folder, state }: { folder: string; state: DevState },
): Promise<NonNullable<DevState['demo']>> {
  const organization = await findOrganization(db, ORGANIZATION);
  // The secret may have been rotated since.
  if (organization !== undefined && state.demo !== undefined)
    return { ...state.demo, webhook_secret: organization.webhook_secret };
  const demo =
    organization === undefined
      ? await createOrganization(db, { slug: ORGANIZATION })
      : await keyFor(db, organization.webhook_secret);
  writeDevState(folder, { ...state, demo: { ...demo } });
  return demo;
}

/** A start that was killed before it kept the key: the organization is there, and gets another key. */
async function keyFor(db: Database, webhook_secret: string): Promise<NonNullable<DevState['demo']>> {
  const { api_key } = await createKey(db, ORGANIZATION, { name: 'tearsheet dev' });
  return { organization: ORGANIZATION, api_key, webhook_secret };
}
