/**
 * Tokens that the kubelet gives to a pod of a capture: of our audience, of an account without rights, bound to the pod. The API server says
 * whether one is good (TokenReview); the pod's name says of which job and index it is.
 */
import { createHash } from 'node:crypto';
import { KeyedSum } from '../../lib/keyedSum.ts';
import { createRateLimiter } from '../../lib/rateLimiter.ts';
import { NotFoundError } from '../internal/pathParameters.ts';
import {
  type CaptureAuthenticator,
  type CaptureCaller,
  ForbiddenError,
  OverloadedError,
  UnauthorizedError,
  UnavailableError,
} from './captureAuth.ts';
import { createTokenCache, type TokenReviewResult } from './tokenCache.ts';
import { readClaims } from './tokenClaims.ts';
import { createTokenReviewLimiter } from './tokenReviewLimiter.ts';

export interface PodTokenOptions {
  /** Sends a TokenReview to the API server. @throws whatever keeps it from answering */
  readonly review: (token: string, audience: string) => Promise<unknown>;
  readonly namespace: string;
  /** Name of the captures' account in that namespace. */
  readonly serviceAccount: string;
  readonly audience: string;
  /** Name of a job's ScreenshotJob, with which the names of its pods begin; undefined where there is no such job. */
  readonly jobName: (jobId: string) => Promise<string | undefined>;
  readonly log: { error(fields: object, message: string): void };
  /** Milliseconds. */
  readonly now?: () => number;
}

/** Jobs that one pod may have looked up at once: its token is good, and for one of them. */
const MAX_LOOKUPS = 16;
/** Of one pod. A capture has four for a picture, and a few a minute. */
const CALLS = { perSecond: 20, burst: 2_000 };
const POD_NAME = 'authentication.kubernetes.io/pod-name';
const POD_UID = 'authentication.kubernetes.io/pod-uid';

export function podTokenAuthenticator(options: PodTokenOptions): CaptureAuthenticator {
  const { log, now = Date.now } = options;
  const verdicts = createTokenCache(now);
  const slots = createTokenReviewLimiter(now);
  const underWay = new Map<string, Promise<TokenReviewResult>>();
  const lookups = new KeyedSum();
  const calls = createRateLimiter(CALLS, now);

  const ask = async (key: string, { token, source }: PresentedToken): Promise<TokenReviewResult> => {
    const giveBack = slots.take(source);
    if (giveBack === undefined) throw new OverloadedError('Too many tokens are being looked at.');
    try {
      const verdict = judge(await options.review(token, options.audience), options);
      verdicts.keep(key, verdict, readClaims(token)?.expiresAtMs);
      if ('refusal' in verdict) slots.refused(source);
      return verdict;
    } catch (error) {
      log.error({ err: error }, 'the API server did not say whether a token of a pod is good');
      throw new UnavailableError('Whether the token is good cannot be told at this moment.', { cause: error });
    } finally {
      giveBack();
    }
  };

  /** Those who ask with one token at the same time ask once. */
  const verdictOn = (shown: PresentedToken): Promise<TokenReviewResult> => {
    const { token } = shown;
    const key = createHash('sha256').update(token).digest('base64');
    const known = verdicts.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const asked = underWay.get(key);
    if (asked !== undefined) return asked;
    const fault = claimsFault(token, options, now());
    if (fault !== undefined) return Promise.resolve({ refusal: fault });
    const asking = ask(key, shown).finally(() => underWay.delete(key));
    underWay.set(key, asking);
    return asking;
  };

  /** Before the calls of a pod are counted its job must be known, and it may name any. */
  const jobName = async (pod: { uid: string }, jobId: string): Promise<string | undefined> => {
    if (lookups.of(pod.uid) >= MAX_LOOKUPS) throw new OverloadedError('The pod has too many calls under way.');
    lookups.add(pod.uid, 1);
    try {
      return await options.jobName(jobId);
    } finally {
      lookups.add(pod.uid, -1);
    }
  };

  return {
    async admit(token, jobId, source) {
      const verdict = await verdictOn({ token, source });
      if ('refusal' in verdict) throw new UnauthorizedError(verdict.refusal);
      if (!calls.take(verdict.uid)) throw new OverloadedError('The pod makes too many calls.');
      const name = await jobName(verdict, jobId);
      if (name === undefined) throw new NotFoundError(`There is no job ${jobId}.`);
      return callerOf(verdict, { jobId, name });
    },
  };
}

interface PresentedToken {
  readonly token: string;
  /** The address that it came from. */
  readonly source: string;
}

type ExpectedToken = Pick<PodTokenOptions, 'namespace' | 'serviceAccount' | 'audience'>;

const accountOf = ({ namespace, serviceAccount }: ExpectedToken) =>
  `system:serviceaccount:${namespace}:${serviceAccount}`;

/** What the token itself admits needs no question; what it claims proves nothing yet. */
function claimsFault(token: string, wanted: ExpectedToken, now: number): string | undefined {
  const claims = readClaims(token);
  if (claims === undefined) return 'The token cannot be read.';
  if (!claims.audiences.includes(wanted.audience)) return `The token is not for ${wanted.audience}.`;
  if (claims.subject !== accountOf(wanted)) return `The token is not of ${accountOf(wanted)}.`;
  return claims.expiresAtMs <= now ? 'The token has expired.' : undefined;
}

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly audiences?: readonly string[];
    readonly user?: { readonly username?: string; readonly extra?: Readonly<Record<string, readonly string[]>> };
  };
}

function judge(review: unknown, wanted: ExpectedToken): TokenReviewResult {
  const { authenticated, audiences = [], user = {} } = (review as TokenReview | undefined)?.status ?? {};
  if (authenticated !== true)
    return { refusal: 'The API server does not know the token: it has expired, or its pod is gone.' };
  if (!audiences.includes(wanted.audience)) return { refusal: `The token is not for ${wanted.audience}.` };
  if (user.username !== accountOf(wanted)) return { refusal: `The token is not of ${accountOf(wanted)}.` };
  const [name = ''] = user.extra?.[POD_NAME] ?? [];
  const [uid = ''] = user.extra?.[POD_UID] ?? [];
  return name === '' || uid === '' ? { refusal: 'The token is bound to no pod.' } : { name, uid };
}

/** `<name of the ScreenshotJob>-<generation>-<index>-` and five characters of Kubernetes' choice. */
function callerOf(pod: { name: string; uid: string }, { jobId, name }: { jobId: string; name: string }): CaptureCaller {
  const rest = pod.name.startsWith(`${name}-`) ? pod.name.slice(name.length + 1) : '';
  const index = /^\d{1,3}-(\d{1,7})-[a-z0-9]+$/.exec(rest)?.[1];
  if (index === undefined) throw new ForbiddenError(`The token is of the pod ${pod.name}, which is none of this job.`);
  return { jobId, pod: { index: Number(index), uid: pod.uid } };
}
