import type { CaptureAuthenticator } from '../../api/auth/captureAuth.ts';
import type { OneTimeSignIns } from '../../api/auth/oneTimeSignIns.ts';
import { createInternalApi } from '../../api/internal/internalApi.ts';
import { createErrorPages } from '../../api/pages/errorPages.ts';
import { createPages } from '../../api/pages/pages.ts';
import { createPublicApi } from '../../api/public/app.ts';
import { DEFAULT_LIMITS } from '../../domain/limits.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../domain/uploads.ts';
import { createGuard } from '../../egress/guard.ts';
import { retentionPolicy } from '../retentionPolicy.ts';
import { startAuditLogRemoval } from './auditLogRemoval.ts';
import { startBucketRemoval } from './bucketRemoval.ts';
import { type HttpServer, type ListenOptions, startHttpServer } from './httpServer.ts';
import { startRetention } from './retention.ts';
import { startSearchUpdates } from './searchUpdates.ts';
import type { ServiceContext } from './serviceContext.ts';
import { startSetRemoval } from './setRemoval.ts';
import { createSharedLimits } from './sharedLimits.ts';
import { startUploadCleanup } from './uploadCleanup.ts';

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
  /** How long a capture on this machine waits for the next small set; 0 unless given. */
  readonly lingerSeconds?: number;
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
    lingerSeconds: ports.lingerSeconds ?? 0,
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
  return { publicServer: withCleanup(context, publicServer), internalServer };
}

/** Removes expired and deleted objects, and updates the search, as long as the server runs. */
function withCleanup(context: ServiceContext, server: HttpServer): HttpServer {
  const cleanup = startUploadCleanup(context);
  const removal = startSetRemoval(context, retentionPolicy(context.config).set_retention_days);
  const buckets = startBucketRemoval(context);
  const auditLog = startAuditLogRemoval(context, context.config.AUDIT_LOG_RETENTION_DAYS);
  const retention = startRetention(context, retentionPolicy(context.config));
  const search = startSearchUpdates(context);
  const close = async (graceMs: number) => {
    const jobs = [cleanup, removal, retention, auditLog, search, buckets];
    await Promise.all([...jobs.map((job) => job.stop()), server.close(graceMs)]);
  };
  return { port: server.port, close };
}

function publicApi(
  context: ServiceContext,
  { rateLimited, pictureOrigin, signIns, egressAllow }: ApiPorts & { pictureOrigin: string | undefined },
) {
  const { config, store, queue, publicUrl, log, metrics, artifacts, installation, notifications } = context;
  const guard = createGuard({ allow: egressAllow });
  const limits = { ...DEFAULT_LIMITS, bodyBytes: config.MAX_BODY_BYTES };
  const quotas = { picturesPerDay: config.PICTURES_PER_DAY, runningCaptures: config.MAX_PODS_PER_ORGANIZATION };
  const retention = retentionPolicy(config);
  const shared = rateLimited ? createSharedLimits(context) : {};
  const pageOptions = {
    ...shared,
    store,
    artifacts,
    limits,
    uploadLimits: DEFAULT_UPLOAD_LIMITS,
    awsPrincipal: config.AWS_PRINCIPAL_ARN,
    retention,
    quotas,
    queue,
    publicUrl,
    secret: installation.secret,
    guard,
    log,
    subscribe: notifications.subscribe,
    signIns,
    sendingAddresses: config.SENDING_ADDRESSES,
    ...(pictureOrigin !== undefined && { pictureOrigins: [pictureOrigin] }),
  };
  return createPublicApi({
    store,
    secret: installation.secret,
    queue,
    publicUrl,
    artifacts,
    guard,
    awsPrincipal: config.AWS_PRINCIPAL_ARN,
    log,
    corsOrigins: config.CORS_ORIGINS,
    sendingAddresses: config.SENDING_ADDRESSES,
    trustedProxies: config.TRUSTED_PROXIES,
    observe: metrics.countRequest,
    limits,
    uploadLimits: DEFAULT_UPLOAD_LIMITS,
    retention,
    quotas,
    ...shared,
    pages: createPages(pageOptions),
    errorPages: createErrorPages(pageOptions),
  });
}
