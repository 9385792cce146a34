/**
 * Limits requests without a key: shared pages and pictures. Each process counts by itself, because these limits only protect the
 * service from floods.
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

/** Answers and comments of clients. A person writes one in a few seconds, and many decide about one picture after the other. */
const OF_WRITER: RateLimit = { perSecond: 0.5, burst: 100 };
const OF_WRITTEN_LINK: RateLimit = { perSecond: 1, burst: 300 };
/** Passwords of one link, also from many networks, and of one network for many links. */
const OF_PASSWORD: RateLimit = { perSecond: 0.1, burst: 10 };

export interface OpenLimits {
  /** Takes the cost from the bucket of the client's network. @throws Failure (429) */
  takeOfAddress(request: Pick<Request, 'ip' | 'socket'>, response: Response, cost?: number): void;
  /** Takes the cost from the bucket of a share link. @throws Failure (429) */
  takeOfLink(linkId: string, response: Response, cost: number): void;
  /** Takes one answer or comment from the buckets of the client's network and of the link. @throws Failure (429) */
  takeToWrite(linkId: string, request: Pick<Request, 'ip' | 'socket'>, response: Response): void;
  /** The same for an attempt to open a link with a password. @throws Failure (429) */
  takePassword(linkId: string, request: Pick<Request, 'ip' | 'socket'>, response: Response): void;
}

export function createOpenLimits({ address = OF_ADDRESS, link = OF_LINK } = {}): OpenLimits {
  const addresses = bucketsOf(address, 'address_rate', 'Too many requests came from your network.');
  const links = bucketsOf(link, 'link_rate', 'Too many people opened this link at the same time.');
  const writers = bucketsOf(OF_WRITER, 'address_rate', 'Too many answers came from your network.');
  const writtenLinks = bucketsOf(OF_WRITTEN_LINK, 'link_rate', 'Too many answers came through this link.');
  const guessers = bucketsOf(OF_PASSWORD, 'address_rate', 'Too many passwords came from your network.');
  const guessedLinks = bucketsOf(OF_PASSWORD, 'link_rate', 'Too many passwords were tried for this link.');
  return {
    takeOfAddress: (request, response, cost = 1) => addresses(callerNetwork(request), response, cost),
    takeOfLink: links,
    takeToWrite(linkId, request, response) {
      writers(callerNetwork(request), response, 1);
      writtenLinks(linkId, response, 1);
    },
    takePassword(linkId, request, response) {
      guessers(callerNetwork(request), response, 1);
      guessedLinks(linkId, response, 1);
    },
  };
}

/** @returns a function that takes the cost from the bucket of a network or a link. */
function bucketsOf(limit: RateLimit, kind: 'address_rate' | 'link_rate', text: string) {
  const buckets = createRateLimiter(limit);
  return (key: string, response: Response, cost: number): void => {
    const { allowed, remaining } = buckets.take(key, cost);
    if (allowed) return;
    noteLimit(response, kind);
    throw floodFailure(text, (cost - remaining) / limit.perSecond);
  };
}

function floodFailure(text: string, wait: number): Failure {
  const seconds = Math.max(1, Math.ceil(wait));
  return tooMany('rate_limit', `${text} Try again in ${seconds} s.`, seconds);
}
