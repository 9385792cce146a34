import type { CaptureAuthenticator } from '../../api/auth/captureAuth.ts';
import { createInternalApi } from '../../api/internal/internalApi.ts';
import { createPages } from '../../api/pages/pages.ts';
import { createPublicApi } from '../../api/public/app.ts';
import { type HttpServer, type ListenOptions, serve } from './httpServer.ts';
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
  /** Whether keys are limited at all. */
  readonly rateLimited: boolean;
  /** Authenticates captures by the tokens of their pods; without it, by the tokens that the controller signs. */
  readonly authenticator?: CaptureAuthenticator;
  /** Of the internal API. */
  readonly internalTls?: ListenOptions['tls'];
}

/** A claim that was not renewed for so long is lost; captures renew at a third of it. */
const LEASE_SECONDS = 30;

/** The public API with the pages, and the internal one, each on its own port. */
export async function startApiService(base: ServiceContext, ports: ApiPorts): Promise<ApiService> {
  const internal = createInternalApi({
    store: base.store,
    queue: base.queue,
    publicUrl: base.publicUrl,
    artifacts: base.artifacts,
    notifications: base.notifications,
    secret: base.installation.secret,
    authenticator: ports.authenticator,
    internalUrl: base.internalUrl,
    podDeadlineSeconds: base.config.CAPTURE_POD_DEADLINE_SECONDS,
    leaseSeconds: LEASE_SECONDS,
    log: base.log,
    observe: {
      phases: (phases) => {
        for (const [phase, seconds] of Object.entries(phases)) base.metrics.recordCapturePhase(phase, seconds);
      },
      creative: ({ seconds }) => base.metrics.recordCapturePhase('creative', seconds),
      screenshots: base.metrics.countScreenshots,
    },
  });
  const internalServer = await serve(internal, {
    host: ports.internalHost,
    port: ports.internalPort,
    name: 'the internal API',
    tls: ports.internalTls,
  });
  const pictureOrigin = await base.artifacts.clientOrigin();
  const publicServer = await serve(publicApi(base, { ...ports, pictureOrigin }), {
    host: ports.host,
    port: ports.port,
    name: 'the public API',
  });
  return { publicServer, internalServer };
}

function publicApi(
  base: ServiceContext,
  { rateLimited, pictureOrigin }: ApiPorts & { pictureOrigin: string | undefined },
) {
  const { config, store, queue, publicUrl, log, metrics, artifacts, installation, notifications } = base;
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
      subscribers: config.MAX_SUBSCRIBERS,
      frames: config.MAX_FRAMES,
      bodyBytes: config.MAX_BODY_BYTES,
    },
    ...(rateLimited && { rateLimit: { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST } }),
    pages,
  });
}
