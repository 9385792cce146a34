/**
 * Remembers the organization that a person signed in to last, so that `/` leads there. The cookie of the session is not
 * sent to `/`. This one holds only the name of the organization, which is no secret and opens nothing.
 */
import type { Request, Response } from 'express';
import { isSlug } from '../domain/slugs.ts';
import type { PagePaths } from './paths.ts';

const HOME_COOKIE = 'tearsheet_home';
const DAYS = 90;

interface HomeOptions {
  readonly publicUrl: string;
  readonly paths: PagePaths;
}

export function rememberHome(response: Response, slug: string, options: HomeOptions): void {
  response.cookie(HOME_COOKIE, slug, { ...optionsOf(options), maxAge: DAYS * 86_400_000 });
}

export function forgetHome(response: Response, options: HomeOptions): void {
  response.clearCookie(HOME_COOKIE, optionsOf(options));
}

/** @returns the name of an organization, which may not exist any more. */
export function readHome(request: Request): string | undefined {
  const found = (request.headers.cookie ?? '').split(';').map((part) => part.trim().split('=', 2));
  const slug = found.find(([name]) => name === HOME_COOKIE)?.[1] ?? '';
  return isSlug(slug) ? slug : undefined;
}

function optionsOf({ publicUrl, paths }: HomeOptions) {
  const secure = publicUrl.startsWith('https:');
  return { httpOnly: true, sameSite: 'lax', secure, path: paths.base === '' ? '/' : paths.base } as const;
}
