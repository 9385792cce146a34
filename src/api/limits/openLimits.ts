/**
 * Limits requests without a key: shared pages and pictures. Each process counts by itself, because these limits only protect the
 * service from floodFailure.
 */
import type { Request, Response } from 'express';
import { type Failure, tooMany } from '../../domain/failure.ts';
import { createRateLimiter, type RateLimit } from '../../lib/rateLimiter.ts';
import { noteLimit } from '../server/accessLog.ts';
import { callerNetwork } from '../server/caller.ts';

/** A page shows up to 240 thumbnails, and an office has one address. */
const OF_ADDRESS: RateLimit = { perSecond: 200, burst: 20_000 };
/** A view of a shared page takes about three tokens. */
const OF_LINK: RateLimit = { perSecond: 50, burst: 2_000 };

export interface OpenLimits {
  /** Takes the cost from the bucket of the client's network. @throws Failure (429) */
  takeOfAddress(request: Pick<Request, 'ip' | 'socket'>, response: Response, cost?: number): void;
  /** Takes the cost from the bucket of a share link. @throws Failure (429) */
  takeOfLink(linkId: string, response: Response, cost: number): void;
}

export function createOpenLimits({ address = OF_ADDRESS, link = OF_LINK } = {}): OpenLimits {
  const [addresses, links] = [createRateLimiter(address), createRateLimiter(link)];
  return {
    takeOfAddress(request, response, cost = 1) {
      const { allowed, remaining } = addresses.take(callerNetwork(request), cost);
      if (allowed) return;
      noteLimit(response, 'address_rate');
      throw floodFailure('Too many requests came from your network.', (cost - remaining) / address.perSecond);
    },
    takeOfLink(linkId, response, cost) {
      const { allowed, remaining } = links.take(linkId, cost);
      if (allowed) return;
      noteLimit(response, 'link_rate');
      throw floodFailure('Too many people opened this link at the same time.', (cost - remaining) / link.perSecond);
    },
  };
}

function floodFailure(text: string, wait: number): Failure {
  const seconds = Math.max(1, Math.ceil(wait));
  return tooMany('rate_limit', `${text} Try again in ${seconds} s.`, seconds);
}
