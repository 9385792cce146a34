/** The internal API: serves `contract/captureProtocol.ts` to captures. It must not be reachable from outside. */
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import { z } from 'zod';
import {
  type ClaimedSmallSet,
  ClaimSmallSet,
  type HostingHeld,
  NO_SUCH_CALL,
  RenewHosting,
} from '../../contract/captureProtocol.ts';
import { PROTOCOL_VERSION } from '../../contract/protocolVersion.ts';
import type { AttemptRef } from '../../core/jobs/attempts.ts';
import { type CountedTransact, countedTransact } from '../../core/jobs/countedTransactions.ts';
import { findJobAccess, hasLocation } from '../../core/jobs/jobAccess.ts';
import { claimSmallSet, leaveHosting, renewHosting } from '../../core/jobs/smallSets.ts';
import { jobTraceparent, traceAdmission } from '../../core/jobs/traces.ts';
import { MAX_BODY_BYTES } from '../../domain/limits.ts';
import { cutCodePoints, storable } from '../../domain/text.ts';
import { TooManyTunnelsError } from '../../egress/errors.ts';
import { type ConnectListener, createGateway } from '../../egress/gateway.ts';
import type { Log } from '../../lib/log.ts';
import { createRateLimiter, type RateLimiter } from '../../lib/rateLimiter.ts';
import {
  type CaptureAuthenticator,
  getCaller,
  jobTokenAuthenticator,
  requireAttempt,
  setCaller,
} from '../auth/captureAuth.ts';
import { limitCalls } from '../limits/captureLimits.ts';
import { callerAddress } from '../server/caller.ts';
import {
  ForbiddenError,
  httpErrorOf,
  NotFoundError,
  OverloadedError,
  UnavailableError,
  UnsupportedVersionError,
} from '../server/errors.ts';
import { closeAfterUnreadBody } from '../server/unreadBody.ts';
import { artifactRoutes } from '../transfers/artifactRoutes.ts';
import { createTransfers } from '../transfers/transfers.ts';
import { addUploadRoutes } from '../transfers/uploadRoutes.ts';
import { addAttemptRoutes } from './attemptRoutes.ts';
import { addCreativeRoutes } from './creativeRoutes.ts';
import { type InternalApiContext, type InternalApiOptions, readIndex, readJobId } from './options.ts';

/** A body may have a fault in each of thousands of places, and the log would hold all of them. */
const MAX_MESSAGE_LENGTH = 2_000;
/** The results of 200 pictures, the maximum of an index, take about 4 MB. The API needs a tenth of a second to parse 8 MB. */
const POD_LIMITS = {
  calls: 64,
  bytes: 2 * MAX_BODY_BYTES,
  byteRate: { perSecond: 128 * 1024, burst: 2 * MAX_BODY_BYTES },
};
/** Rejected calls of one address that the log shows. */
const LOGGED_REJECTIONS = { perSecond: 2, burst: 100 };

/** Also serves the artifacts if they are in a folder. */
export function createInternalApi(options: InternalApiOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(closeAfterUnreadBody);
  const transfers = createTransfers(options);
  const context = { ...options, transact: createTransact(options) };
  const job = express.Router({ mergeParams: true });
  job.use(
    authenticate(authenticatorOf(options)),
    limitCalls(POD_LIMITS),
    express.json({ limit: MAX_BODY_BYTES }),
    replaceUnstorableText,
  );
  addAttemptRoutes(job, context, transfers);
  addSmallSetRoutes(job, context);
  addCreativeRoutes(job, context, transfers);
  addUploadRoutes(job, options, transfers);
  app.use(`/internal/${PROTOCOL_VERSION}/artifacts`, artifactRoutes(options));
  app.use(`/internal/${PROTOCOL_VERSION}/jobs/:job`, job);
  app.use('/internal/:version', rejectOtherVersion);
  app.use(() => {
    throw new NotFoundError(NO_SUCH_CALL);
  });
  app.use(errorHandler(options.log, createRateLimiter(LOGGED_REJECTIONS)));
  return app;
}

function authenticatorOf({ authenticator, secret, store }: InternalApiOptions): CaptureAuthenticator {
  return authenticator ?? jobTokenAuthenticator(secret, (jobId) => findJobAccess(store.db, jobId));
}

/** How long a capture whose token was valid may open connections without another look-up. */
const KNOWN_MS = 5_000;

/** @returns the listener for CONNECT requests to the internal API; undefined if there are no locations. */
export function createLocationGateway(options: InternalApiOptions): ConnectListener | undefined {
  const { locations, log, store } = options;
  if (locations === undefined) return undefined;
  const authenticator = authenticatorOf(options);
  // A page opens many connections at once. They need one look-up, and do not count towards the rate of the capture's calls.
  const known = new Map<string, Promise<unknown>>();
  const check = async (token: string, jobId: string, source: string, location: string): Promise<void> => {
    await authenticator.authenticate(token, z.uuid().parse(jobId), source);
    if (!(await hasLocation(store.db, jobId, location)))
      throw new ForbiddenError(`No screenshot of its job is at the location ${location}.`);
  };
  const authenticate = (token: string, jobId: string, source: string, location: string): Promise<unknown> => {
    const key = `${jobId} ${source} ${location} ${token}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = check(token, jobId, source, location).catch((error: unknown) => {
      known.delete(key);
      throw error instanceof UnavailableError ? new TooManyTunnelsError(error.message) : error;
    });
    known.set(key, made);
    made.then(
      () => setTimeout(() => known.delete(key), KNOWN_MS).unref(),
      () => undefined,
    );
    return made;
  };
  return createGateway({
    authenticate,
    connector: (id) => locations.connector(id),
    log,
  });
}

function createTransact({ store, queue, publicUrl, observe }: InternalApiOptions): CountedTransact {
  return countedTransact({
    transact: (work) => store.db.transaction().execute(work),
    count: (statuses) => observe?.screenshots?.(statuses),
    time: (milestones) => observe?.milestones?.(milestones),
    queue,
    publicUrl,
  });
}

const rejectOtherVersion: RequestHandler<{ version: string }> = (req, _res, next) => {
  const { version } = req.params;
  if (version === PROTOCOL_VERSION || !/^v\d{1,9}$/.test(version)) {
    next();
    return;
  }
  throw new UnsupportedVersionError(
    `${NO_SUCH_CALL} The API speaks version ${PROTOCOL_VERSION} of it, and the capture called version ${version}. ` +
      'Run the API and the captures from the same release.',
  );
};

/** Runs before the body is read, so that a caller without a valid token cannot send one. */
function authenticate(authenticator: CaptureAuthenticator): RequestHandler {
  return async (req, res, next) => {
    const token = /^Bearer (\S+)$/.exec(req.get('authorization') ?? '')?.[1] ?? '';
    setCaller(res, await authenticator.authenticate(token, readJobId(req), callerAddress(req)));
    next();
  };
}

/**
 * Replaces characters that PostgreSQL cannot store. Names, addresses and reasons come partly from a hostile page, and a NUL in them must
 * not make a result impossible to store. The body is changed after parsing because a reviver makes parsing ten times slower.
 */
const replaceUnstorableText: RequestHandler = (req, _res, next) => {
  const open: unknown[] = [req.body];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== 'object' || part === null) continue;
    const fields = part as Record<string, unknown>;
    for (const key in fields) {
      const value = fields[key];
      if (typeof value === 'string') fields[key] = storable(value);
      else if (typeof value === 'object') open.push(value);
    }
  }
  next();
};

/** @param logged limits the log lines for each address, so that a caller that is rejected again and again does not fill the log. */
function errorHandler(log: Log, logged: RateLimiter): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) {
      next(error);
      return;
    }
    const { status, code, message, headers } = httpErrorOf(error);
    const body = { error: code, message: cutCodePoints(message, MAX_MESSAGE_LENGTH) };
    // The log line has no query, because the query may hold a signature.
    const fields = { method: req.method, path: req.path, status };
    if (error instanceof OverloadedError || (status < 500 && !logged.take(callerAddress(req)).allowed))
      log.debug(fields, 'a call of the capture protocol was rejected');
    else if (status >= 500) log.error({ ...fields, err: error }, 'a call of the capture protocol failed');
    else log.info({ ...fields, ...body }, 'a call of the capture protocol was rejected');
    res.status(status).set(headers).json(body);
  };
}

/** The calls with which a capture takes small sets after its own index. */
function addSmallSetRoutes(router: Router, context: InternalApiContext) {
  const { store, transact, leaseSeconds, smallSets, queue, log } = context;

  router.post('/indexes/:index/small-set', async (req, res) => {
    const capture = readCapture(req, res, ClaimSmallSet.parse(req.body).attempt);
    const options = { leaseSeconds, limits: smallSets };
    const claimed = await transact((tx, context) => claimSmallSet(tx, capture, { ...options, ...context }));
    if (claimed === undefined) {
      res.json({ job: null } satisfies ClaimedSmallSet);
      return;
    }
    const { jobId: job, admitted } = claimed;
    const note = () => log.info({ job_id: job, host_job_id: capture.jobId }, 'a capture took over a small set');
    await (admitted === undefined ? note() : traceAdmission(admitted, note));
    res.json({ job, traceparent: await jobTraceparent(store.db, job) } satisfies ClaimedSmallSet);
  });

  router.post('/indexes/:index/hosting', async (req, res) => {
    const { attempt, ends } = RenewHosting.parse(req.body);
    const capture = readCapture(req, res, attempt);
    if (ends) await transact((tx) => leaveHosting(tx, capture, { queue }));
    const hosting = !ends && (await transact((tx) => renewHosting(tx, capture, leaseSeconds)));
    res.json({ hosting } satisfies HostingHeld);
  });
}

/** @throws ForbiddenError if the job belongs to another capture's index, because only the original index of a capture takes small sets. */
function readCapture(req: Request, res: Response, attempt: number): AttemptRef {
  const caller = getCaller(res);
  if (caller.isHost === true) throw new ForbiddenError('Only the own index of a capture takes small sets.');
  return requireAttempt(caller, { index: readIndex(req), attempt });
}
