import { codePoints } from './text.ts';

export const URL_MAX = 8_192;

/** @returns why the text is not an absolute http or https URL, or undefined. */
export function urlFault(sent: string): string | undefined {
  return lengthFault(sent) ?? shapeFault(sent);
}

function lengthFault(sent: string): string | undefined {
  const length = codePoints(sent);
  if (length <= URL_MAX) return undefined;
  return `must be at most ${URL_MAX.toLocaleString('en')} characters, but has ${length.toLocaleString('en')}.`;
}

function shapeFault(address: string): string | undefined {
  if (!/^\s*https?:\/\//i.test(address)) return 'must be an absolute address that begins with http:// or https://.';
  if (!/^\s*https?:\/\/[^/?#]/i.test(address)) return 'must be a valid address. This one names no host.';
  // URL.parse would silently remove line breaks and tabs.
  if (/\p{Cc}/u.test(address.trim())) return 'must not contain line breaks, tabs or other control characters.';
  const url = URL.parse(address);
  if (url === null || url.hostname === '') return 'must be a valid address.';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password.';
  return undefined;
}

export const hasScheme = (sent: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(sent.trim());

/** @returns the site with `https://` if it has no scheme. */
export function withScheme(sent: string): string {
  const trimmed = sent.trim();
  if (trimmed.startsWith('//')) return `https:${trimmed}`;
  return hasScheme(trimmed) ? trimmed : `https://${trimmed}`;
}

/** @returns the normalized URL of a site, to open and to compare. Only for sites without a fault. */
export function siteKey(sent: string): string {
  return new URL(withScheme(sent)).href;
}

/** @returns the host name of a site that is given as an address or a host name, as in {@link siteKey}. */
export function hostOfSite(sent: string): string {
  return URL.parse(withScheme(sent))?.hostname || sent.trim().toLowerCase();
}

/** @returns why the text is not the address of a site, or undefined. */
export function siteFault(sent: string): string | undefined {
  if (sent.trim() === '') return 'must not be blank: give the address of the site.';
  return lengthFault(sent) ?? shapeFault(withScheme(sent));
}

/** @returns the address without user name, password, query and fragment, which may hold a secret of the visitor. */
export function withoutQuery(address: string): string {
  const url = URL.parse(withScheme(address));
  if (url === null) return address;
  return `${url.protocol}//${url.host}${url.pathname}`;
}
