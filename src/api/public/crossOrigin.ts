/**
 * Cross-origin requests (CORS). Servers call the API with a key, which no page should hold: so no origin is allowed unless
 * the operator names it. Cookies and other credentials of a browser are never allowed.
 */
import type { RequestHandler } from 'express';
import { Failure } from '../../domain/failure.ts';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-Request-Id';
const ANSWER_HEADERS =
  'ETag, Idempotency-Replayed, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
const PREFLIGHT_SECONDS = '600';

/** @param allowed origins such as `https://app.example`. @throws Failure (403) for a preflight request of another one. */
export function crossOrigin(allowed: readonly string[]): RequestHandler {
  return (request, response, next) => {
    response.vary('Origin');
    const origin = request.get('origin');
    if (origin === undefined) return next();
    const isPreflight = request.method === 'OPTIONS' && request.get('access-control-request-method') !== undefined;
    const isAllowed = allowed.includes(origin);
    if (!isAllowed && isPreflight) throw notAllowed();
    if (isAllowed)
      response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': ANSWER_HEADERS });
    if (!isPreflight) return next();
    response.status(204).set({
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    });
    response.end();
  };
}

function notAllowed(): Failure {
  const text =
    'Pages of this origin may not call the API: call it from a server, so that no browser has the key. The operator can allow the origin with CORS_ORIGINS.';
  return new Failure({ status: 403, code: 'forbidden', errors: { origin: [text] } });
}
