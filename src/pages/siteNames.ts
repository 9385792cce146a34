import { withScheme } from '../domain/webAddresses.ts';

/** The address has no query, which may hold a token of a page that is not public. */
export function siteName(siteUrl: string): { readonly host: string; readonly address: string } {
  const url = URL.parse(withScheme(siteUrl));
  if (url === null) return { host: siteUrl, address: siteUrl };
  return { host: url.host, address: `${url.host}${url.pathname.replace(/\/$/, '')}` };
}
