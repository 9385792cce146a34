/** Cookies of the pages: reads them, and the attributes that all have. */
import type { Request } from 'express';

/** @returns the values of all cookies of this name; a browser sends one for each path that matches. */
export function cookiesOf(request: Request, name: string): string[] {
  const pairs = (request.headers.cookie ?? '').split(';').map((part) => /^\s*([^=]+)=(.*)$/.exec(part));
  return pairs.flatMap((pair) => (pair?.[1] === name ? [(pair[2] ?? '').trim()] : []));
}

/** Neither scripts nor forms of other sites use the cookie. @param path where browsers send it. */
export function cookieOptions(publicUrl: string, path: string) {
  return { httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:'), path } as const;
}
