import type { CaptureAuthenticator } from '../../api/auth/captureAuth.ts';
import { createInternalApi, createLocationGateway } from '../../api/internal/internalApi.ts';
import type { InternalApiOptions } from '../../api/internal/options.ts';
import { createKeyChecker, WRONG_KEYS } from '../../api/limits/keyChecker.ts';
import { createOpenLimits } from '../../api/limits/openLimits.ts';
import { createRequestLimits } from '../../api/limits/requestLimits.ts';
import { createPublicApi } from '../../api/public/app.ts';
import { DEFAULT_LIMITS } from '../../domain/limits.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../domain/uploads.ts';
import { createGuard, type Guard } from '../../egress/guard.ts';
import { Locations } from '../../egress/locations.ts';
import { createPages } from '../../pages/pages.ts';
import type { PagesOptions } from '../../pages/parts/context.ts';
import { createErrorPages } from '../../pages/routes/errorPages.ts';
import { type HttpServer, type ListenOptions, startHttpServer } from './httpServer.ts';
import { startMaintenance } from './maintenance.ts';
import { providerOf } from './people.ts';
import { defaultQuotas, type ServiceContext } from './serviceContext.ts';

export interface ApiService {
  readonly publicServer: HttpServer;
  readonly internalServer: HttpServer;
}

export interface ApiPorts {
  readonly host: string;
  readonly port: ListenOptions['port'];
  /** The flag that chose the port; the environment variable PORT unless given. */
  readonly portSetting?: '--port';
  readonly internalPort: ListenOptions['port'];
  /** Ranges (CIDR) that connectors and test events may use although they are not public. */
  readonly egressAllow: readonly string[];
  /** Whether the rate of each API key is limited, and the wrong keys of each network. */
  readonly rateLimited: boolean;
  /** Authenticates captures by the tokens of their pods; without it, by the tokens that the controller signs. */
  readonly authenticator?: CaptureAuthenticator;
  /** Certificate of the internal API. */
  readonly internalTls?: ListenOptions['tls'];
}

/** A claim that is not renewed for this time is lost. Captures renew it after a third of the time. */
const LEASE_SECONDS = 30;
/** Connections to the public API of each process. It closes further ones at once. */
const MAX_CONNECTIONS = 10_000;
/** A full bucket of a key holds the tokens of this many seconds. */
const BURST_SECONDS = 10;

/** Starts the public API with the pages, and the internal API, each on its own port. */
export async function startApiService(context: ServiceContext, ports: ApiPorts): Promise<ApiService> {
  const services = await composeServices(context, ports);
  const internalServer = await startHttpServer(createInternalApi(services), {
    host: ports.host,
    port: ports.internalPort,
    name: 'the internal API',
    portSetting: 'INTERNAL_PORT',
    tls: ports.internalTls,
    tunnels: createLocationGateway(services),
  });
  const pages = { router: createPages(services), errorPages: createErrorPages(services) };
  const publicServer = await startHttpServer(createPublicApi(services, pages), {
    host: ports.host,
    port: ports.port,
    name: 'the public API',
    portSetting: ports.portSetting ?? 'PORT',
    maxConnections: MAX_CONNECTIONS,
  });
  return { publicServer: withMaintenance(context, publicServer), internalServer };
}

/** @returns all that the public API, the pages and the internal API use. */
async function composeServices(
  context: ServiceContext,
  { rateLimited, authenticator, egressAllow }: ApiPorts,
): Promise<PagesOptions & InternalApiOptions> {
  const { config, store, metrics, artifacts, installation, notifications } = context;
  const { db } = store;
  const pictureOrigin = await artifacts.clientOrigin();
  const guard = createGuard({ allow: egressAllow });
  const locations = createLocations(context, guard);
  const rate = { perSecond: config.RATE_LIMIT_PER_SECOND, burst: BURST_SECONDS * config.RATE_LIMIT_PER_SECOND };
  return {
    ...context,
    secret: installation.secret,
    guard,
    locations,
    limits: { ...DEFAULT_LIMITS, ...(locations && { locations: locations.ids }) },
    uploadLimits: DEFAULT_UPLOAD_LIMITS,
    quotas: defaultQuotas(config),
    setRetentionDays: config.SET_RETENTION_DAYS,
    awsPrincipal: config.AWS_PRINCIPAL_ARN,
    sendingAddresses: config.SENDING_ADDRESSES,
    corsOrigins: config.CORS_ORIGINS,
    trustedProxies: config.TRUSTED_PROXIES,
    requestLimits: rateLimited ? createRequestLimits(db, rate) : undefined,
    openLimits: rateLimited ? createOpenLimits() : undefined,
    keyChecker: createKeyChecker({
      db,
      wrongKeys: rateLimited ? WRONG_KEYS : undefined,
      observe: metrics.countRejectedKey,
    }),
    observeRequest: metrics.countRequest,
    provider: await providerOf(config, context.publicUrl),
    countSignIn: metrics.countSignIn,
    membershipRules: config.MEMBERSHIP_RULES,
    subscribe: notifications.subscribe,
    pictureOrigins: pictureOrigin === undefined ? [] : [pictureOrigin],
    authenticator,
    podDeadlineSeconds: config.CAPTURE_POD_DEADLINE_SECONDS,
    leaseSeconds: LEASE_SECONDS,
    smallSets: {
      maxPodsPerOrganization: config.MAX_PODS_PER_ORGANIZATION,
      setDeadlineSeconds: config.SET_DEADLINE_SECONDS,
    },
    observe: {
      phases: (phases) => {
        for (const [phase, seconds] of Object.entries(phases)) metrics.recordCapturePhase(phase, seconds);
      },
      creative: ({ seconds }) => metrics.recordCapturePhase('creative', seconds),
      screenshots: metrics.countScreenshots,
      milestones: metrics.timeMilestones,
      processor: metrics.countProcessorSeconds,
    },
  };
}

/** @returns undefined if the operator offers no locations. */
function createLocations({ config, log, metrics }: ServiceContext, guard: Guard): Locations | undefined {
  if (config.LOCATIONS.length === 0) return undefined;
  const credentials = config.LOCATION_CREDENTIALS;
  const locations = new Locations({
    ...{ locations: config.LOCATIONS, credentials, guard, log },
    observe: metrics.countLocationConnection,
  });
  metrics.collectLocations(() => locations.all.map(({ id }) => ({ id, isAvailable: locations.isAvailable(id) })));
  return locations;
}

/** Runs the maintenance as long as the server runs. */
function withMaintenance(context: ServiceContext, server: HttpServer): HttpServer {
  const { SET_RETENTION_DAYS: defaultSetDays, AUDIT_LOG_RETENTION_DAYS: auditLogDays } = context.config;
  const maintenance = startMaintenance(context, { defaultSetDays, auditLogDays });
  const close = async (graceMs: number) => {
    await Promise.all([maintenance.stop(), server.close(graceMs)]);
  };
  return { port: server.port, close };
}
