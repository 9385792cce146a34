/** Cookies of the pages. */
import type { CookieOptions, Request, Response } from 'express';

/**
 * Over https, browsers accept these names only from this host itself, `__Host-` for all paths and `__Secure-` for some. So no
 * other host of the domain and no plain connection can plant a cookie. Version 0.1.0 set the names without a prefix. They
 * are read until version 0.3.0, because its sessions last up to seven days and both versions run side by side in an upgrade.
 */
const PREFIXES = ['__Host-', '__Secure-', ''];
/** A browser sends a cookie for each path and domain that matches. More than these are ignored, as each may need a query. */
const VALUES_MAX = 5;

/** @returns the values of all cookies of this name, those with a prefix first. */
export function cookiesOf(request: Request, name: string): string[] {
  const pairs = (request.headers.cookie ?? '').split(';').map((part) => /^\s*([^=]+)=(.*)$/.exec(part));
  const valuesOf = (full: string) => pairs.flatMap((pair) => (pair?.[1] === full ? [(pair[2] ?? '').trim()] : []));
  return PREFIXES.flatMap((prefix) => valuesOf(prefix + name)).slice(0, VALUES_MAX);
}

interface Cookie extends Pick<CookieOptions, 'encode'> {
  readonly publicUrl: string;
  /** Where browsers send it. */
  readonly path: string;
}

/** Neither scripts nor forms of other sites use the cookie. */
export function setCookie(
  response: Response,
  name: string,
  { value, maxAge, publicUrl, path, ...more }: Cookie & { readonly value: string; readonly maxAge: number },
): void {
  response.cookie(nameOf(name, { publicUrl, path }), value, { ...attributesOf({ publicUrl, path }), maxAge, ...more });
}

export function clearCookie(response: Response, name: string, cookie: Cookie): void {
  for (const one of new Set([nameOf(name, cookie), name])) response.clearCookie(one, attributesOf(cookie));
}

function nameOf(name: string, { publicUrl, path }: Cookie): string {
  if (!publicUrl.startsWith('https:')) return name;
  return `${path === '/' ? '__Host-' : '__Secure-'}${name}`;
}

function attributesOf({ publicUrl, path }: Cookie) {
  return { httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:'), path } as const;
}
