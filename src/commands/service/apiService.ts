import type { CaptureAuthenticator } from '../../api/auth/captureAuth.ts';
import type { OneTimeSignIns } from '../../api/auth/oneTimeSignIns.ts';
import { createInternalApi } from '../../api/internal/internalApi.ts';
import { createKeyChecker, WRONG_KEYS } from '../../api/limits/keyChecker.ts';
import { createOpenLimits } from '../../api/limits/openLimits.ts';
import { createRequestLimits } from '../../api/limits/requestLimits.ts';
import { createPublicApi } from '../../api/public/app.ts';
import { DEFAULT_LIMITS } from '../../domain/limits.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../domain/uploads.ts';
import { createGuard } from '../../egress/guard.ts';
import { createErrorPages } from '../../pages/errorPages.ts';
import { createPages } from '../../pages/pages.ts';
import { setRetention } from '../setRetention.ts';
import { type HttpServer, type ListenOptions, startHttpServer } from './httpServer.ts';
import { startMaintenance } from './maintenance.ts';
import type { ServiceContext } from './serviceContext.ts';

export interface ApiService {
  readonly publicServer: HttpServer;
  readonly internalServer: HttpServer;
}

export interface ApiPorts {
  readonly host: string;
  readonly port: number;
  /** The flag that chose the port; the environment variable PORT unless given. */
  readonly portSetting?: '--port';
  readonly internalHost: string;
  readonly internalPort: number;
  /** Ranges (CIDR) that connectors and test events may use although they are not public. */
  readonly egressAllow: readonly string[];
  /** Whether the rate of each API key is limited, and the wrong keys of each network. */
  readonly rateLimited: boolean;
  /** Authenticates captures by the tokens of their pods; without it, by the tokens that the controller signs. */
  readonly authenticator?: CaptureAuthenticator;
  /** Links that sign in once. */
  readonly signIns?: OneTimeSignIns;
  /** Certificate of the internal API. */
  readonly internalTls?: ListenOptions['tls'];
}

/** A claim that is not renewed for this time is lost. Captures renew it after a third of the time. */
const LEASE_SECONDS = 30;
/** Connections to the public API of each process. It closes further ones at once. */
const MAX_CONNECTIONS = 10_000;

/** Starts the public API with the pages, and the internal API, each on its own port. */
export async function startApiService(context: ServiceContext, ports: ApiPorts): Promise<ApiService> {
  const internal = createInternalApi({
    store: context.store,
    queue: context.queue,
    publicUrl: context.publicUrl,
    artifacts: context.artifacts,
    notifications: context.notifications,
    secret: context.installation.secret,
    authenticator: ports.authenticator,
    internalUrl: context.internalUrl,
    podDeadlineSeconds: context.config.CAPTURE_POD_DEADLINE_SECONDS,
    leaseSeconds: LEASE_SECONDS,
    smallSets: {
      maxPodsPerOrganization: context.config.MAX_PODS_PER_ORGANIZATION,
      setDeadlineSeconds: context.config.SET_DEADLINE_SECONDS,
    },
    log: context.log,
    observe: {
      phases: (phases) => {
        for (const [phase, seconds] of Object.entries(phases)) context.metrics.recordCapturePhase(phase, seconds);
      },
      creative: ({ seconds }) => context.metrics.recordCapturePhase('creative', seconds),
      screenshots: context.metrics.countScreenshots,
    },
  });
  const internalServer = await startHttpServer(internal, {
    host: ports.internalHost,
    port: ports.internalPort,
    name: 'the internal API',
    portSetting: 'INTERNAL_PORT',
    tls: ports.internalTls,
  });
  const pictureOrigin = await context.artifacts.clientOrigin();
  const publicServer = await startHttpServer(publicApi(context, { ...ports, pictureOrigin }), {
    host: ports.host,
    port: ports.port,
    name: 'the public API',
    portSetting: ports.portSetting ?? 'PORT',
    maxConnections: MAX_CONNECTIONS,
  });
  return { publicServer: withMaintenance(context, publicServer), internalServer };
}

/** Runs the maintenance as long as the server runs. */
function withMaintenance(context: ServiceContext, server: HttpServer): HttpServer {
  const retention = { sets: setRetention(context.config), auditLogDays: context.config.AUDIT_LOG_RETENTION_DAYS };
  const maintenance = startMaintenance(context, retention);
  const close = async (graceMs: number) => {
    await Promise.all([maintenance.stop(), server.close(graceMs)]);
  };
  return { port: server.port, close };
}

function publicApi(
  context: ServiceContext,
  { rateLimited, pictureOrigin, signIns, egressAllow }: ApiPorts & { pictureOrigin: string | undefined },
) {
  const { config, store, queue, publicUrl, log, metrics, artifacts, installation, notifications } = context;
  const guard = createGuard({ allow: egressAllow });
  const quotas = { picturesPerDay: config.PICTURES_PER_DAY, runningCaptures: config.MAX_PODS_PER_ORGANIZATION };
  const retention = setRetention(config);
  const shared = {
    ...(rateLimited ? rateLimits(context) : {}),
    store,
    queue,
    artifacts,
    guard,
    log,
    publicUrl,
    quotas,
    retention,
    secret: installation.secret,
    limits: DEFAULT_LIMITS,
    uploadLimits: DEFAULT_UPLOAD_LIMITS,
    awsPrincipal: config.AWS_PRINCIPAL_ARN,
    sendingAddresses: config.SENDING_ADDRESSES,
  };
  const pageOptions = {
    ...shared,
    signIns,
    subscribe: notifications.subscribe,
    ...(pictureOrigin !== undefined && { pictureOrigins: [pictureOrigin] }),
  };
  return createPublicApi({
    ...shared,
    corsOrigins: config.CORS_ORIGINS,
    trustedProxies: config.TRUSTED_PROXIES,
    observe: metrics.countRequest,
    pages: createPages(pageOptions),
    errorPages: createErrorPages(pageOptions),
  });
}

function rateLimits({ config, store: { db }, metrics }: ServiceContext) {
  const rate = { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST };
  return {
    requestLimits: createRequestLimits(db, rate),
    openLimits: createOpenLimits(),
    keyChecker: createKeyChecker({ db, wrongKeys: WRONG_KEYS, observe: metrics.countRejectedKey }),
  };
}
