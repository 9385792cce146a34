import type { Request } from 'express';

/** Whether a form comes from a page of this service: told by what browsers say of where a request comes from. */
export function isOwnForm(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  // Browsers leave that header out over plain http; programs send neither.
  const origin = request.get('origin');
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === request.get('host');
}
