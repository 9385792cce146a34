import type { ArtifactStore } from '../../artifacts/store.ts';
import { StoreUnavailableError, watchStore } from '../../artifacts/storeCheck.ts';
import { type Config, loadConfig } from '../../config.ts';
import { type Installation, readInstallation } from '../../core/jobs/installation.ts';
import { deliveryDepth } from '../../core/webhooks/deliveryQueue.ts';
import { openStore, type Store } from '../../db/database.ts';
import { lostConnectionTo, whenDatabaseAnswers } from '../../db/databaseAway.ts';
import { type Notifications, openNotifications } from '../../db/notifications.ts';
import { type Queue, startQueue } from '../../db/queue.ts';
import type { DefaultQuotas } from '../../domain/quotas.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { type Health, type HealthOptions, RestartRequiredError, startHealth } from '../../observe/health.ts';
import { createLogger, type Logger } from '../../observe/logger.ts';
import { createMetrics, type Metrics } from '../../observe/metrics.ts';
import { Outage } from '../../observe/outage.ts';
import { useTracer, wantsTraces } from '../../observe/tracing.ts';
import { artifactStoreOf } from './artifactStore.ts';
import { mailerOf } from './people.ts';
import { requireKeys } from './requireKeys.ts';

/** The connections and settings that every long-running process needs. */
export interface ServiceContext {
  readonly config: Config;
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly queue: Queue;
  readonly artifacts: ArtifactStore;
  /** @throws StoreUnavailableError if the artifact store accepts no files. */
  readonly checkArtifacts: () => Promise<void>;
  readonly outages: { readonly database: Outage; readonly artifacts: Outage };
  readonly notifications: Notifications;
  /** Undefined without a mail server. */
  readonly mailer: Mailer | undefined;
  readonly installation: Installation;
  close(): Promise<void>;
}

/** The settings without which no long-running process starts. */
const REQUIRED = ['DATABASE_URL', 'ARTIFACTS_URL', 'PUBLIC_URL', 'INTERNAL_URL', 'SECRETS_KEYS'] as const;

export interface ServiceContextOptions {
  readonly config: Config & { readonly [Name in (typeof REQUIRED)[number]]: NonNullable<Config[Name]> };
  /** The name of the process, in each log line. */
  readonly name: string;
  /** Where the log goes; standard output unless given. */
  readonly logStream?: 'stdout' | 'stderr';
  /** False in processes that add entries to the work queue but process none. */
  readonly worksQueues: boolean;
  /** How long to wait for a database that does not answer yet; 0 unless given. */
  readonly databaseWaitSeconds?: number;
}

/** How long `tearsheet api` and `tearsheet controller` wait for the database when they start. */
export const DATABASE_WAIT_SECONDS = 60;

/** PostgreSQL's error code for a missing table. */
const NO_SUCH_TABLE = '42P01';

/** Connects to a migrated database, its work queue and the artifact store. */
export async function createServiceContext(options: ServiceContextOptions): Promise<ServiceContext> {
  const { config } = options;
  const { DATABASE_URL: databaseUrl, SECRETS_KEYS: keyRing } = config;
  // A store that fails one call, but passes its check, is not considered unavailable: that error stays an error.
  const isLostStore = (error: unknown): boolean =>
    error instanceof StoreUnavailableError && (error.isWithoutAnswer || outages.artifacts.reason !== undefined);
  const outages = {
    database: new Outage('the database', lostConnectionTo(databaseUrl)),
    artifacts: new Outage('the artifact store', isLostStore),
  };
  const log = createLogger({
    ...{ level: config.LOG_LEVEL, name: options.name, stream: options.logStream },
    outages: Object.values(outages),
  });
  const stopTracing = await startTracing(`tearsheet-${options.name}`, log);
  const onError = (err: Error) => log.error({ err }, 'a connection to the database failed, reconnecting');
  const onConnect = () => outages.database.ended(log);
  const maxConnections = config.DATABASE_POOL_SIZE;
  const store = openStore({ url: databaseUrl, maxConnections, keyRing, onError, onConnect });
  const connect = async () => {
    await requireKeys(store.db);
    const installation = await readInstallation(store.db);
    return { installation, queue: await startQueue({ databaseUrl, onError, supervise: options.worksQueues }) };
  };
  const { installation, queue } = await whenDatabaseAnswers(connect, {
    seconds: options.databaseWaitSeconds ?? 0,
    onWait: (err) => outages.database.claims(err, log),
  });
  const notifications = openNotifications(databaseUrl, { onError });
  const { artifacts, check: checkArtifacts } = watchStore(artifactStoreOf(config.ARTIFACTS_URL, config));
  const metrics = createMetrics();
  metrics.collectQueue(async () => [...(await queue.depth()), { name: 'deliver', ...(await deliveryDepth(store.db)) }]);
  const close = async () => {
    const exported = stopTracing();
    await notifications.close();
    artifacts.close();
    await store.close();
    await exported;
  };
  return {
    config,
    publicUrl: config.PUBLIC_URL,
    internalUrl: config.INTERNAL_URL,
    log,
    metrics,
    store,
    queue,
    artifacts,
    checkArtifacts,
    outages,
    notifications,
    mailer: await mailerOf(config),
    installation,
    close,
  };
}

/** @returns the default quotas of organizations. */
export const defaultQuotas = (config: Config): DefaultQuotas => ({
  picturesPerDay: config.PICTURES_PER_DAY,
  runningCaptures: config.MAX_PODS_PER_ORGANIZATION,
});

/** Starts the tracer if the standard variables of OpenTelemetry ask for it. @returns a function that stops it. */
async function startTracing(service: string, log: Logger): Promise<() => Promise<void>> {
  if (!wantsTraces(process.env)) return async () => undefined;
  const { startOpenTelemetry } = await import('../../observe/openTelemetry.ts');
  const { tracer, stop } = startOpenTelemetry({ service, log });
  useTracer(tracer);
  return stop;
}

/** Like {@link createServiceContext}, with all settings from the environment. @throws ConfigError */
export function serviceContextFromEnvironment(
  given: Pick<ServiceContextOptions, 'name' | 'worksQueues' | 'databaseWaitSeconds'>,
): Promise<ServiceContext> {
  return createServiceContext({ ...given, config: loadConfig(process.env, REQUIRED) });
}

/** Serves health and metrics. The process depends on its database, its artifact store and `more`. */
export function serveHealth(
  context: ServiceContext,
  address: Pick<HealthOptions, 'host' | 'port' | 'everyMs'>,
  more: Readonly<Record<string, () => Promise<void>>> = {},
): Promise<Health> {
  const { checkArtifacts, log, metrics } = context;
  const outages: Readonly<Record<string, Outage>> = context.outages;
  const checks = { database: () => checkDatabase(context), artifacts: checkArtifacts, ...more };
  const checked = (name: string, error: unknown) =>
    error === undefined ? outages[name]?.ended(log) : outages[name]?.began(error, log);
  return startHealth({ ...address, checks, checked, metrics });
}

/** Fails if another or an empty database answers at this address, because this process would then serve wrong data. */
async function checkDatabase({ store, installation }: ServiceContext): Promise<void> {
  const found = await readInstallation(store.db).catch((error: { code?: string }) => {
    if (error.code === NO_SUCH_TABLE) return undefined;
    throw error;
  });
  if (found?.id === installation.id) return;
  throw new RestartRequiredError(
    'not the database that this process started with. Run `tearsheet migrate` and restart all processes; restarted pods do both',
  );
}
