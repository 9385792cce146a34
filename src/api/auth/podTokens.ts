/**
 * Authenticates captures by the service account tokens of their pods. The API server checks each token (TokenReview): it must be for our
 * audience, belong to the captures' service account, and be bound to a pod. The name of the pod gives its job and its index.
 */
import { createHash } from 'node:crypto';
import type { JobAccess } from '../../core/jobs/jobAccess.ts';
import { KeyedSum } from '../../lib/keyedSum.ts';
import type { Log } from '../../lib/log.ts';
import { createRateLimiter } from '../../lib/rateLimiter.ts';
import {
  ForbiddenError,
  NotFoundError,
  OverloadedError,
  UnauthorizedError,
  UnavailableError,
} from '../server/errors.ts';
import type { CaptureAuthenticator, CaptureCaller } from './captureAuth.ts';
import { createTokenCache, createTokenReviewLimiter, readTokenClaims, type TokenReviewResult } from './tokenReviews.ts';

export interface PodTokenOptions {
  /** Sends a TokenReview to the API server. @throws if the API server does not answer. */
  readonly review: (token: string, audience: string) => Promise<unknown>;
  readonly namespace: string;
  /** Name of the captures' service account in that namespace. */
  readonly serviceAccount: string;
  readonly audience: string;
  /**
   * @returns the name of the job's ScreenshotJob, which is the prefix of its pods' names, and the pod that hosts the job; undefined if there
   * is no such job.
   */
  readonly findAccess: (jobId: string) => Promise<JobAccess | undefined>;
  readonly log: Pick<Log, 'error'>;
  /** Milliseconds. */
  readonly now?: () => number;
}

/** The part of a TokenReview response that the authenticator reads. */
interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly audiences?: readonly string[];
    readonly user?: { readonly username?: string; readonly extra?: Readonly<Record<string, readonly string[]>> };
  };
}

/** Job look-ups that one pod may have running at once. An honest pod names one job. */
const MAX_LOOKUPS = 16;
/** Calls of one pod. A capture makes four for each picture, and a few a minute. */
const CALLS = { perSecond: 20, burst: 2_000 };
const POD_NAME = 'authentication.kubernetes.io/pod-name';
const POD_UID = 'authentication.kubernetes.io/pod-uid';

export function podTokenAuthenticator(options: PodTokenOptions): CaptureAuthenticator {
  const { review, audience, findAccess, log, now = Date.now } = options;
  const tokenCache = createTokenCache(now);
  const reviewLimiter = createTokenReviewLimiter(now);
  const calls = createRateLimiter(CALLS, now);
  const running = new Map<string, Promise<TokenReviewResult>>();
  const lookups = new KeyedSum();

  /** Concurrent calls with the same token share one TokenReview request. */
  const reviewToken = async (presented: PresentedToken): Promise<TokenReviewResult> => {
    const { token } = presented;
    const key = createHash('sha256').update(token).digest('base64');
    const known = tokenCache.get(key) ?? running.get(key);
    if (known !== undefined) return known;
    const fault = claimsFault(token, options, now());
    if (fault !== undefined) return { refusal: fault };
    const requested = requestReview(key, presented).finally(() => running.delete(key));
    running.set(key, requested);
    return requested;
  };

  const requestReview = async (key: string, { token, source }: PresentedToken): Promise<TokenReviewResult> => {
    const release = reviewLimiter.acquire(source);
    if (release === undefined) throw new OverloadedError('Too many token reviews are running.');
    try {
      const result = readReview(await review(token, audience), options);
      tokenCache.set(key, result, readTokenClaims(token)?.expiresAtMs);
      if ('refusal' in result) reviewLimiter.reportRejected(source);
      return result;
    } catch (error) {
      log.error({ err: error }, 'TokenReview failed: the API server did not answer; the capture will retry');
      throw new UnavailableError('The API server did not check the token.', { cause: error });
    } finally {
      release();
    }
  };

  /** The job is looked up before the limits on calls apply, so this look-up has a limit of its own. */
  const lookUp = async (pod: { uid: string }, jobId: string): Promise<JobAccess | undefined> => {
    if (lookups.of(pod.uid) >= MAX_LOOKUPS) throw new OverloadedError('The pod has too many calls running.');
    lookups.add(pod.uid, 1);
    try {
      return await findAccess(jobId);
    } finally {
      lookups.add(pod.uid, -1);
    }
  };

  return {
    async authenticate(token, jobId, source) {
      const result = await reviewToken({ token, source });
      if ('refusal' in result) throw new UnauthorizedError(result.refusal);
      if (!calls.take(result.uid).allowed) throw new OverloadedError('The pod makes too many calls.');
      const access = await lookUp(result, jobId);
      if (access === undefined) throw new NotFoundError(`There is no job ${jobId}.`);
      return callerOf(result, jobId, access);
    },
  };
}

interface PresentedToken {
  readonly token: string;
  /** The IP address of the caller. */
  readonly source: string;
}

type ExpectedToken = Pick<PodTokenOptions, 'namespace' | 'serviceAccount' | 'audience'>;

const accountOf = ({ namespace, serviceAccount }: ExpectedToken) =>
  `system:serviceaccount:${namespace}:${serviceAccount}`;

/**
 * Rejects a token whose own claims already show that it is wrong, without asking the API server.
 * @returns undefined if the claims are right, which proves nothing yet.
 */
function claimsFault(token: string, expected: ExpectedToken, now: number): string | undefined {
  const claims = readTokenClaims(token);
  if (claims === undefined) return 'The token is malformed.';
  if (!claims.audiences.includes(expected.audience)) return `The token is not for the audience ${expected.audience}.`;
  if (claims.subject !== accountOf(expected)) return `The token does not belong to ${accountOf(expected)}.`;
  return claims.expiresAtMs <= now ? 'The token has expired.' : undefined;
}

function readReview(review: unknown, expected: ExpectedToken): TokenReviewResult {
  const { authenticated, audiences = [], user = {} } = (review as TokenReview | undefined)?.status ?? {};
  if (authenticated !== true)
    return { refusal: 'The API server rejected the token: it has expired, or its pod is gone.' };
  if (!audiences.includes(expected.audience))
    return { refusal: `The token is not for the audience ${expected.audience}.` };
  if (user.username !== accountOf(expected)) return { refusal: `The token does not belong to ${accountOf(expected)}.` };
  const [name = ''] = user.extra?.[POD_NAME] ?? [];
  const [uid = ''] = user.extra?.[POD_UID] ?? [];
  return name === '' || uid === '' ? { refusal: 'The token is bound to no pod.' } : { name, uid };
}

/**
 * Names of pods are `<name of the ScreenshotJob>-<generation>-<index>-` and five characters that Kubernetes chooses. A guest has one index,
 * and the pod of its host may work on it.
 */
function callerOf(pod: { name: string; uid: string }, jobId: string, { name, host }: JobAccess): CaptureCaller {
  const rest = pod.name.startsWith(`${name}-`) ? pod.name.slice(name.length + 1) : '';
  const index = /^\d{1,3}-(\d{1,7})-[a-z0-9]+$/.exec(rest)?.[1];
  if (index !== undefined) return { jobId, pod: { index: Number(index), uid: pod.uid } };
  if (host?.pod === pod.uid) return { jobId, pod: { index: 0, uid: pod.uid }, isHost: true };
  throw new ForbiddenError(`The token belongs to the pod ${pod.name}, which is not of this job.`);
}
