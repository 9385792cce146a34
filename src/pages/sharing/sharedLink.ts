/** Opens share links: finds the set of a link and its reader, or the page that says why the link shows nothing. */
import type { Request, RequestHandler } from 'express';
import { readShareToken } from '../../api/auth/shareTokens.ts';
import { COST } from '../../api/limits/costs.ts';
import { wasRemoved } from '../../core/journal/tombstones.ts';
import { type BrandingRow, readBranding } from '../../core/organizations/branding.ts';
import { findShareLink, type SharedSet } from '../../core/sharing/shareLinks.ts';
import { type ShareKey, shareFault } from '../../core/sharing/sharePasswords.ts';
import { type Language, textsOf } from '../../domain/texts/languages.ts';
import { html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { cookiesOf } from '../parts/cookies.ts';
import { noticeOf } from '../parts/forms.ts';
import { messagePage } from '../parts/layout.ts';
import { type PagePaths, pathsOf } from '../parts/paths.ts';
import { browserLanguage } from '../parts/words.ts';
import { type PageRoutes, pageOf } from '../routes/pageRoutes.ts';
import { type Client, type LockedAddress, passwordForm, readClient, UNLOCK_COOKIE } from './shareForms.ts';

/** A reader of a link. */
export interface SharedOptions {
  readonly paths: PagePaths;
  readonly token: string;
  readonly client: Client;
  /** Number of the list page, from 1. */
  readonly page: number;
}

const STATUSES = { revoked: 410, expired: 410, removed: 410, disabled: 403, unknown: 404 } as const;

/** The page of a link that shows nothing. It does not name the organization or the set. */
export function deadLink(why: keyof typeof STATUSES, language: Language): ResultsPage {
  const [title = '', text = ''] = textsOf(language).share.links[why];
  return { ...messagePage(title, text, STATUSES[why]), isShared: true, language };
}

export async function lockedPage(
  { store, publicUrl }: PagesOptions,
  { organizationId, language }: SharedSet,
  opened: LockedAddress,
): Promise<ResultsPage> {
  const brand = brandOf(await readBranding(store.db, organizationId), pathsOf(publicUrl, ''));
  const { share } = textsOf(language);
  const look = { status: 403, isShared: true, language, ...brand };
  return { title: share.password.label, body: passwordForm(opened, share), ...look };
}

/** The name of the service stays if the organization has neither a logo nor a name. */
export function brandOf(
  { logo, brand_name: name }: BrandingRow,
  paths: PagePaths,
): Pick<ResultsPage, 'brand' | 'brandName'> {
  const image =
    logo &&
    html`<img class="logo" src="${paths.image(logo.token)}" alt="${name ?? 'Logo'}" width="${logo.width}" height="${logo.height}">`;
  const brand = image ?? (name === null ? undefined : html`<bdi>${name}</bdi>`);
  return { brand, brandName: name ?? undefined };
}

export function readerOf({ publicUrl }: PagesOptions, request: Request): SharedOptions {
  const paths = pathsOf(publicUrl, '');
  return { paths, token: String(request.params['token']), client: readClient(request), page: pageOf(request) };
}

/** The passwords that the browser of this reader showed before. */
export const shareKeyOf = ({ secret }: PagesOptions, request: Request): ShareKey => ({
  tokens: cookiesOf(request, UNLOCK_COOKIE),
  secret,
});

/** Each request looks the link up, so that a revoked one shows nothing. */
export function linkOpener(pages: PageRoutes) {
  const { options } = pages;
  return (
    show: (share: SharedSet, ...args: Parameters<RequestHandler>) => Promise<ResultsPage | 'sent' | undefined>,
    cost: number = COST.usual,
  ): RequestHandler =>
    async (request, response, next) => {
      options.openLimits?.takeOfAddress(request, response);
      const found = await findShared(options, request);
      const { language = 'en' } = found;
      // For the page of an error.
      response.locals['language'] = language;
      if (!('title' in found)) options.openLimits?.takeOfLink(found.id, response, cost);
      const result = 'title' in found ? found : await show(found, request, response, next);
      if (result === 'sent') return;
      pages.send(response, result ?? deadLink('unknown', language), {
        paths: pathsOf(options.publicUrl, ''),
        notice: noticeOf(request, textsOf(language).share.sent),
      });
    };
}

/** @returns the set of a valid link, or the page that says why there is none. */
export async function findShared(options: PagesOptions, request: Request): Promise<SharedSet | ResultsPage> {
  const { store, secret, publicUrl } = options;
  const id = readShareToken(secret, String(request.params['token']));
  const language = browserLanguage(request);
  if (id === undefined) return deadLink('unknown', language);
  const share = await findShareLink(store.db, id);
  if (share === undefined) return deadLink((await wasRemoved(store.db, { id })) ? 'removed' : 'unknown', language);
  const fault = shareFault(share, shareKeyOf(options, request));
  if (fault === 'locked') {
    const path = pathsOf(publicUrl, '').share(String(request.params['token']));
    return lockedPage(options, share, { path, picture: String(request.params['picture'] ?? '') });
  }
  return fault === undefined ? share : deadLink(fault, share.language);
}
