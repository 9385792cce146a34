/** Limits requests without a key: shared pages and pictures. All processes share the limits. */
import type { Request, Response } from 'express';
import { Failure } from '../../domain/failure.ts';
import { noteLimit } from '../server/accessLog.ts';
import { callerNetwork } from '../server/callerAddress.ts';
import type { SharedLimiter } from './sharedLimiter.ts';

export interface OpenLimits {
  /** Takes the cost from the bucket of the client's network. @throws Failure (429) */
  takeOfAddress(request: Pick<Request, 'ip' | 'socket'>, response: Response, cost?: number): Promise<void>;
  /** Takes the cost from the bucket of a share link. @throws Failure (429) */
  takeOfLink(linkId: string, response: Response, cost: number): Promise<void>;
}

export interface OpenLimiters {
  readonly address: SharedLimiter;
  readonly link: SharedLimiter;
}

export function createOpenLimits({ address, link }: OpenLimiters): OpenLimits {
  return {
    async takeOfAddress(request, response, cost = 1) {
      const { allowed, remaining } = await address.take(`open ${callerNetwork(request)}`, cost);
      if (allowed) return;
      noteLimit(response, 'address_rate');
      throw tooMany('Too many requests came from your network.', secondsUntil(cost, remaining, address));
    },
    async takeOfLink(linkId, response, cost) {
      const { allowed, remaining } = await link.take(`link ${linkId}`, cost);
      if (allowed) return;
      noteLimit(response, 'link_rate');
      throw tooMany('Too many people opened this link at the same time.', secondsUntil(cost, remaining, link));
    },
  };
}

const secondsUntil = (cost: number, remaining: number, { limit }: SharedLimiter) =>
  Math.max(1, Math.ceil((cost - remaining) / limit.perSecond));

function tooMany(text: string, seconds: number): Failure {
  return new Failure({
    status: 429,
    code: 'rate_limited',
    errors: { rate_limit: [`${text} Try again in ${seconds} s.`] },
    headers: { 'Retry-After': String(seconds) },
  });
}
