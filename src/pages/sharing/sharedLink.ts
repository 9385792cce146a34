/** Opens share links: finds the set of a link and its reader, or the page that says why the link shows nothing. */
import type { Request, RequestHandler } from 'express';
import { readShareToken } from '../../api/auth/shareTokens.ts';
import { COST } from '../../api/limits/costs.ts';
import { wasRemoved } from '../../core/journal/tombstones.ts';
import { type BrandingRow, readBranding } from '../../core/organizations/branding.ts';
import { findShareLink, type SharedSet } from '../../core/sharing/shareLinks.ts';
import { type ShareFault, type ShareKey, shareFault } from '../../core/sharing/sharePasswords.ts';
import { html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { cookiesOf } from '../parts/cookies.ts';
import { noticeOf } from '../parts/forms.ts';
import { messagePage } from '../parts/layout.ts';
import { type PagePaths, pathsOf } from '../parts/paths.ts';
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

const ASK = 'Ask the person who sent it for a new one.';
/** The pages of links that show nothing. They do not name the organization or the set. */
const EXPIRED_LINK = linkPage('This link has expired', `Links to pictures are valid for a limited time. ${ASK}`, 410);
const REMOVED_PICTURES = linkPage(
  'These pictures were removed',
  'Their owner deleted them, or keeps pictures for a limited time only.',
  410,
);
const REVOKED_LINK = linkPage('This link was revoked', `The sender has withdrawn this link. ${ASK}`, 410);
export const UNKNOWN_LINK = linkPage(
  'There is nothing at this address',
  'Check that the link is complete. A link in a message is sometimes cut off at the end of a line.',
  404,
);
const UNAVAILABLE_LINK = linkPage('These pictures are not available at the moment', 'Try again later.', 403);

const FAULTY_LINKS: Readonly<Record<Exclude<ShareFault, 'locked'>, ResultsPage>> = {
  revoked: REVOKED_LINK,
  expired: EXPIRED_LINK,
  disabled: UNAVAILABLE_LINK,
};

export async function lockedPage(
  { store, publicUrl }: PagesOptions,
  { organizationId }: SharedSet,
  { opened, fault }: { readonly opened: LockedAddress; readonly fault?: string },
): Promise<ResultsPage> {
  const brand = brandOf(await readBranding(store.db, organizationId), pathsOf(publicUrl, ''));
  return { title: 'Password', body: passwordForm(opened, fault), status: 403, isShared: true, ...brand };
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
      if (!('title' in found)) options.openLimits?.takeOfLink(found.id, response, cost);
      const result = 'title' in found ? found : await show(found, request, response, next);
      if (result === 'sent') return;
      pages.send(response, result ?? UNKNOWN_LINK, {
        paths: pathsOf(options.publicUrl, ''),
        notice: noticeOf(request),
      });
    };
}

/** @returns the set of a valid link, or the page that says why there is none. */
export async function findShared(options: PagesOptions, request: Request): Promise<SharedSet | ResultsPage> {
  const { store, secret, publicUrl } = options;
  const id = readShareToken(secret, String(request.params['token']));
  if (id === undefined) return UNKNOWN_LINK;
  const share = await findShareLink(store.db, id);
  if (share === undefined) return (await wasRemoved(store.db, { id })) ? REMOVED_PICTURES : UNKNOWN_LINK;
  const fault = shareFault(share, shareKeyOf(options, request));
  if (fault === 'locked') {
    const path = pathsOf(publicUrl, '').share(String(request.params['token']));
    return lockedPage(options, share, { opened: { path, picture: String(request.params['picture'] ?? '') } });
  }
  return fault === undefined ? share : FAULTY_LINKS[fault];
}

function linkPage(title: string, text: string, status: number): ResultsPage {
  return { ...messagePage(title, text, status), isShared: true };
}
