import type { CaptureAuthenticator } from '../../api/auth/captureAuth.ts';
import { createInternalApi } from '../../api/internal/internalApi.ts';
import { createPages } from '../../api/pages/pages.ts';
import { createPublicApi } from '../../api/public/app.ts';
import { type HttpServer, type ListenOptions, startHttpServer } from './httpServer.ts';
import type { ServiceContext } from './serviceContext.ts';

export interface ApiService {
  readonly publicServer: HttpServer;
  readonly internalServer: HttpServer;
}

export interface ApiPorts {
  readonly host: string;
  readonly port: number;
  readonly internalHost: string;
  readonly internalPort: number;
  /** Whether the rate of each API key is limited. */
  readonly rateLimited: boolean;
  /** Authenticates captures by the tokens of their pods; without it, by the tokens that the controller signs. */
  readonly authenticator?: CaptureAuthenticator;
  /** Certificate of the internal API. */
  readonly internalTls?: ListenOptions['tls'];
}

/** A claim that is not renewed for this time is lost. Captures renew it after a third of the time. */
const LEASE_SECONDS = 30;
/** Subscribers of one request. */
const MAX_SUBSCRIBERS = 10;
/** Frames of one screenshot object: one for each whole second of a creative's time, 0 to 30. */
const MAX_FRAMES = 31;

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
    tls: ports.internalTls,
  });
  const pictureOrigin = await context.artifacts.clientOrigin();
  const publicServer = await startHttpServer(publicApi(context, { ...ports, pictureOrigin }), {
    host: ports.host,
    port: ports.port,
    name: 'the public API',
  });
  return { publicServer, internalServer };
}

function publicApi(
  context: ServiceContext,
  { rateLimited, pictureOrigin }: ApiPorts & { pictureOrigin: string | undefined },
) {
  const { config, store, queue, publicUrl, log, metrics, artifacts, installation, notifications } = context;
  const pages = createPages({
    store,
    queue,
    publicUrl,
    secret: installation.secret,
    log,
    subscribe: notifications.subscribe,
    ...(pictureOrigin !== undefined && { pictureOrigins: [pictureOrigin] }),
  });
  return createPublicApi({
    store,
    queue,
    publicUrl,
    artifacts,
    log,
    observe: metrics.countRequest,
    limits: {
      entries: config.MAX_ENTRIES,
      screenshots: config.MAX_SCREENSHOTS,
      subscribers: MAX_SUBSCRIBERS,
      frames: MAX_FRAMES,
      bodyBytes: config.MAX_BODY_BYTES,
    },
    ...(rateLimited && { rateLimit: { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST } }),
    pages,
  });
}
