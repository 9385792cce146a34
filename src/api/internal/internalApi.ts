/** The internal API: what captures talk to. It must not be reachable from outside. */

import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { ZodError } from 'zod';
import { NO_SUCH_CALL, PROTOCOL_VERSION } from '../../contract/captureProtocol.ts';
import { cutCodePoints } from '../../domain/text.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import { createRateLimiter, type RateLimiter } from '../../lib/rateLimiter.ts';
import { SupersededError } from '../../workflow/attempts.ts';
import { type CountedTransact, countedTransact } from '../../workflow/countedTransactions.ts';
import { ResultFaultError } from '../../workflow/creativeResults.ts';
import {
  type CaptureAuthenticator,
  ForbiddenError,
  jobTokenAuthenticator,
  OverloadedError,
  UnauthorizedError,
  UnavailableError,
} from '../auth/captureAuth.ts';
import { limitCalls } from '../limits/callLimits.ts';
import { artifactRoutes } from '../transfers/artifactRoutes.ts';
import { createTransfers } from '../transfers/transfers.ts';
import { addUploadRoutes } from '../transfers/uploadRoutes.ts';
import { addAttemptRoutes } from './attemptRoutes.ts';
import { addCreativeRoutes } from './creativeRoutes.ts';
import type { InternalApiOptions } from './options.ts';
import { addressOf, jobOf, NotFoundError, rememberCaller } from './pathParameters.ts';
import { storableTexts } from './storableTexts.ts';

/** A hundred pictures of pages with many candidates are some two. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Of what was wrong with a call: a body may have a fault in each of thousands of places, and all of them would stand in the log. */
const MAX_WORDS = 2_000;
/** Two hundred pictures, the most of an index, are some four megabytes; sixteen take a fifth of a second to read. */
const OF_ONE_POD = {
  calls: 64,
  bytes: MAX_BODY_BYTES,
  bytesInTime: { perSecond: 128 * 1024, burst: MAX_BODY_BYTES },
};
/** Refusals that are logged, of one address. */
const LOGGED = { perSecond: 2, burst: 100 };

/** Serves `contract/captureProtocol.ts`, and the artifacts where they are kept in a folder. */
export function createInternalApi(options: InternalApiOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  const transfers = createTransfers(options);
  const context = { ...options, transact: createTransact(options) };
  const job = express.Router({ mergeParams: true });
  job.use(
    authorize(options.authority ?? jobTokenAuthenticator(options.secret)),
    limitCalls(OF_ONE_POD),
    express.json({ limit: MAX_BODY_BYTES }),
    storableTexts,
  );
  addAttemptRoutes(job, context);
  addCreativeRoutes(job, context, transfers);
  addUploadRoutes(job, options, transfers);
  app.use(`/internal/${PROTOCOL_VERSION}/artifacts`, artifactRoutes(options));
  app.use(`/internal/${PROTOCOL_VERSION}/jobs/:job`, job);
  app.use('/internal/:version', refuseOtherVersion);
  app.use((_req, res) => {
    res.status(404).json({ error: 'not_found', message: NO_SUCH_CALL });
  });
  app.use(answerError(options.log, createRateLimiter(LOGGED)));
  return app;
}

function createTransact({ store, queue, publicUrl, observe }: InternalApiOptions): CountedTransact {
  return countedTransact({
    transact: (work) => store.db.transaction().execute(work),
    count: (statuses) => observe?.screenshots?.(statuses),
    queue,
    publicUrl,
  });
}

const refuseOtherVersion: RequestHandler<{ version: string }> = (req, res, next) => {
  const { version } = req.params;
  if (version === PROTOCOL_VERSION || !/^v\d{1,9}$/.test(version)) {
    next();
    return;
  }
  const message =
    `${NO_SUCH_CALL} The API speaks version ${PROTOCOL_VERSION} of it, and the capture called version ${version}. ` +
    'Run the API and the captures from the same release.';
  res.status(404).json({ error: 'unsupported_version', message });
};

/** Before the body is read: who may not call does not get to send one. */
function authorize(authority: CaptureAuthenticator): RequestHandler {
  return async (req, res, next) => {
    const token = /^Bearer (\S+)$/.exec(req.get('authorization') ?? '')?.[1] ?? '';
    rememberCaller(res, await authority.admit(token, jobOf(req), addressOf(req)));
    next();
  };
}

/** @param logged whoever is refused over and over fills no log. */
function answerError(log: Log, logged: RateLimiter): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) {
      next(error);
      return;
    }
    const { status, body } = describe(error);
    if (error instanceof OverloadedError) res.set('Retry-After', String(error.retryAfterSeconds));
    // Never the query: it may hold a signature.
    const fields = { method: req.method, path: req.path, status };
    if (error instanceof OverloadedError || (status < 500 && !logged.take(addressOf(req))))
      log.debug(fields, 'a call of the capture protocol was refused, as others before');
    else if (status >= 500) log.error({ ...fields, err: error }, 'a call of the capture protocol failed');
    else log.info({ ...fields, ...body }, 'a call of the capture protocol was refused');
    res.status(status).json(body);
  };
}

function describe(error: unknown): { status: number; body: { error: string; message: string } } {
  const message = cutCodePoints(errorMessage(error), MAX_WORDS);
  if (error instanceof SupersededError) return { status: 409, body: { error: 'superseded', message } };
  if (error instanceof UnauthorizedError) return { status: 401, body: { error: 'unauthorized', message } };
  if (error instanceof ForbiddenError) return { status: 403, body: { error: 'forbidden', message } };
  if (error instanceof UnavailableError) return { status: 503, body: { error: 'unavailable', message } };
  if (error instanceof NotFoundError) return { status: 404, body: { error: 'not_found', message } };
  if (error instanceof ZodError || error instanceof ResultFaultError) {
    return { status: 422, body: { error: 'invalid', message } };
  }
  const status = clientFault(error);
  if (status !== undefined) return { status, body: { error: 'invalid', message } };
  return { status: 500, body: { error: 'internal', message: 'The service could not answer; try again.' } };
}

/** What express's own parsers found wrong with a body. */
function clientFault(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  const { status } = error;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
