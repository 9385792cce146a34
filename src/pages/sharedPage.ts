/** The page that a share link opens: pictures with site, device and time. It shows nothing else of the set. */
import type { Request, RequestHandler } from 'express';
import { readShareToken } from '../api/auth/shareTokens.ts';
import { COST } from '../api/limits/costs.ts';
import { type BrandingRow, readBranding } from '../core/organizations/branding.ts';
import { wasRemoved } from '../core/removal/deletions.ts';
import { readScreenshots } from '../core/sets/readScreenshots.ts';
import { readSetHead, type SetHead } from '../core/sets/readSet.ts';
import { readVersions } from '../core/sets/readVersions.ts';
import { findShareLink, noteShareLinkUse, type SharedSet } from '../core/sharing/shareLinks.ts';
import { shareState } from '../domain/shareLinks.ts';
import { shownPart } from '../domain/thumbnails.ts';
import { type Html, type HtmlContent, html } from '../lib/html.ts';
import type { PagesOptions, ResultsPage } from './context.ts';
import { type DownloadSource, downloadPage, downloadPanel, startDownload } from './downloads.ts';
import { markerLabel, timeElement } from './labels.ts';
import { setSource } from './live.ts';
import { type PageRoutes, pageOf } from './pageRoutes.ts';
import { messagePage, numberedPages, siteName, thumbnail, widthAtHeight } from './parts.ts';
import { type PagePaths, pathsOf } from './paths.ts';
import { type FilmStrip, type Group, groupPictures, inPageOrder } from './set/grouping.ts';
import { currentVersion, type PictureView } from './set/pictures.ts';

const PER_PAGE = 240;

interface SharedOptions {
  readonly paths: PagePaths;
  readonly token: string;
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
const UNKNOWN_LINK = linkPage(
  'There is nothing at this address',
  'Check that the link is complete. A link in a message is sometimes cut at the end of a line.',
  404,
);
const UNAVAILABLE_LINK = linkPage('These pictures are not available at the moment', 'Try again later.', 403);

/** @returns undefined if there is no such set. */
async function sharedPage(
  { store }: PagesOptions,
  { set_id, organizationId, downloads }: SharedSet,
  { paths, token, page }: SharedOptions,
): Promise<ResultsPage | undefined> {
  const set = await readSetHead(store.db, { id: set_id, organizationId });
  if (set === undefined) return undefined;
  const pictures = set.status === 'rejected' ? [] : await picturesOf(store.db, set_id);
  const shown = pictures.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const isLive = set.status === 'draft' || set.status === 'capturing';
  const branding = await readBranding(store.db, organizationId);
  const canDownload = downloads && !isLive && pictures.length > 0;
  const panel = { path: paths.share(token), pictures: pictures.length, hasTimeZone: false };
  const body = html`
<div id="shared" data-live>
${head(set, { count: pictures.length, isLive })}
${canDownload && downloadPanel(panel)}
${sections(shown, paths)}
${numberedPages({ page, pages: Math.ceil(pictures.length / PER_PAGE), addressOf: (to) => `${paths.share(token)}?page=${to}` })}
${branding.footer_text !== null && html`<footer class="meta"><bdi>${branding.footer_text}</bdi></footer>`}
</div>`;
  return {
    title: set.campaign,
    body,
    isShared: true,
    ...brandOf(branding, paths),
    brandStyle: `${paths.share(token)}/brand.css`,
    assets: ['set.css', 'lightbox.js', 'downloads.js'],
    events: isLive ? `${paths.share(token)}/events` : undefined,
  };
}

/** The name of the service stays if the organization has neither a logo nor a name. */
function brandOf({ logo, brand_name: name }: BrandingRow, paths: PagePaths): Pick<ResultsPage, 'brand' | 'brandName'> {
  const image =
    logo &&
    html`<img class="logo" src="${paths.image(logo.token)}" alt="${name ?? 'Logo'}" width="${logo.width}" height="${logo.height}">`;
  const brand = image ?? (name === null ? undefined : html`<bdi>${name}</bdi>`);
  return { brand, brandName: name ?? undefined };
}

/** The style sheet of a shared page: an inline style would break the Content-Security-Policy. */
async function brandStyle({ store }: PagesOptions, { organizationId }: SharedSet): Promise<string> {
  const { accent_color: accent } = await readBranding(store.db, organizationId);
  return `.shared .top { border-top: 4px solid ${accent}; }\n`;
}

/** The newest versions that are approved for other people. Screenshots without a picture are left out. */
async function picturesOf(db: PagesOptions['store']['db'], setId: string): Promise<PictureView[]> {
  const versions = await readVersions(db, setId);
  const current = (await readScreenshots(db, setId)).flatMap((own) => {
    const ofOne = versions.get(own.id) ?? [];
    const view = currentVersion(own, ofOne, { approvedOnly: true });
    const isRejected = ofOne.find(({ id }) => id === view.shownId)?.decision === 'rejected';
    return view.image_token === null || isRejected ? [] : [view];
  });
  return inPageOrder(current, 'site');
}

function head({ campaign }: SetHead, { count, isLive }: { count: number; isLive: boolean }): Html {
  const none = isLive ? 'The pictures are being taken. They appear here.' : 'There are no pictures to show.';
  return html`<section class="head"><h1><bdi>${campaign}</bdi></h1>
<p class="meta">Placement previews: Tearsheet put the ads into live pages. They do not show that a campaign ran.</p>
${count === 0 && html`<p>${none}</p>`}${count > 0 && isLive && html`<p>More pictures are being taken.</p>`}</section>`;
}

/** CSS pixels, as in set.css. */
const SHOWN_HEIGHT = 280;
/** About one screen; a browser loads the others when they come near. */
const AT_ONCE = 4;

function sections(pictures: readonly PictureView[], paths: PagePaths): Html {
  const first = new Set(pictures.slice(0, AT_ONCE));
  return html`<div class="groups">${groupPictures(pictures, 'site').map((group) => section(group, { paths, first }))}</div>`;
}

interface CellOptions {
  readonly paths: PagePaths;
  readonly first: ReadonlySet<PictureView>;
}

function section({ first, strips }: Group<PictureView>, options: CellOptions): Html {
  const { host, address } = siteName(first.site_url);
  return html`<section class="group"><header><h2>${host}</h2>${address !== host && html`<p class="meta">${address}</p>`}</header><div class="cells">${strips.map((strip) => film(strip, options))}</div></section>`;
}

function film({ frames }: FilmStrip<PictureView>, options: CellOptions): HtmlContent {
  const figures = frames.map((frame) =>
    figure(frame, { ...options, strip: frames.length > 1 && frames[0]?.image_token }),
  );
  return frames.length > 1 ? html`<div class="film">${figures}</div>` : figures;
}

function figure(
  view: PictureView,
  { paths, first, strip }: CellOptions & { strip: string | null | undefined | false },
): HtmlContent {
  const { device, marker_ms, captured_at, image_token: token } = view;
  if (token === null) return null;
  const address = paths.image(token);
  const { host } = siteName(view.site_url);
  const marker = marker_ms === null ? '' : `, ${marker_ms / 1000} s into the ad`;
  const alt = `Placement preview on ${host}, ${device}${marker}`;
  const size = shownPart({ width: view.image_width ?? 1, height: view.image_height ?? 1 });
  const shownWidth = widthAtHeight(size, SHOWN_HEIGHT);
  const picture = thumbnail({ paths, token, alt, size, shownWidth, lazy: !first.has(view) });
  const frame = strip && html` data-strip="${strip}" data-marker="${markerLabel(marker_ms)}"`;
  return html`<figure class="shot" id="p-${token}"><a class="frame" href="${address}" target="_blank" rel="noopener noreferrer" data-picture="${address}" data-width="${view.image_width}" data-height="${view.image_height}" data-title="${host}, ${device}${marker}"${frame}>${picture}</a>
<figcaption><p class="what">${device}${marker}</p>${captured_at !== null && html`<p class="meta">${timeElement(captured_at)}</p>`}</figcaption></figure>`;
}

/** Serves what a share link opens, without a key: /s/:token. */
export function addSharedRoutes(pages: PageRoutes): void {
  const { options, router } = pages;
  const { db } = options.store;
  /** Each request looks the link up, so that a revoked one shows nothing. */
  const opened =
    (
      show: (share: SharedSet, ...args: Parameters<RequestHandler>) => Promise<ResultsPage | 'sent' | undefined>,
      cost: number = COST.usual,
    ): RequestHandler =>
    async (request, response, next) => {
      options.openLimits?.takeOfAddress(request, response);
      const found = await find(options, request);
      if (!('title' in found)) options.openLimits?.takeOfLink(found.id, response, cost);
      const result = 'title' in found ? found : await show(found, request, response, next);
      if (result === 'sent') return;
      pages.send(response, result ?? UNKNOWN_LINK, { paths: pathsOf(options.publicUrl, '') });
    };
  router.get(
    '/s/:token',
    opened(async (share, request) => {
      await noteShareLinkUse(db, share.id);
      const paths = pathsOf(options.publicUrl, '');
      return sharedPage(options, share, { paths, token: String(request.params['token']), page: pageOf(request) });
    }),
  );
  router.get(
    '/s/:token/events',
    opened(async (share, request, response) => {
      const access = async () => {
        const found = await find(options, request);
        return 'title' in found ? undefined : found;
      };
      await pages.live.open(response, share.organizationId, setSource(options, share.set_id, access));
      return 'sent';
    }, COST.list),
  );
  const sourceOf = (share: SharedSet, request: Request): DownloadSource => {
    const paths = pathsOf(options.publicUrl, '');
    const path = paths.share(String(request.params['token']));
    return { organizationId: share.organizationId, setId: share.set_id, audience: 'shared', path, base: paths.base };
  };
  router.get(
    '/s/:token/brand.css',
    opened(async (share, _request, response) => {
      response.set({ 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'no-store' });
      response.end(await brandStyle(options, share));
      return 'sent';
    }),
  );
  router.get(
    '/s/:token/export',
    opened(
      async (share, request, response) =>
        share.downloads ? startDownload(options, sourceOf(share, request), { request, response }) : undefined,
      COST.heavy,
    ),
  );
  router.get(
    '/s/:token/exports/:export',
    opened(async (share, request, response) =>
      share.downloads ? downloadPage(options, sourceOf(share, request), { request, response }) : undefined,
    ),
  );
  router.use('/s', (_request, response) => {
    pages.send(response, UNKNOWN_LINK, { paths: pathsOf(options.publicUrl, '') });
  });
}

/** @returns the set of a valid link, or the page that says why there is none. */
async function find({ store, secret }: PagesOptions, request: Request): Promise<SharedSet | ResultsPage> {
  const id = readShareToken(secret, String(request.params['token']));
  if (id === undefined) return UNKNOWN_LINK;
  const share = await findShareLink(store.db, id);
  if (share === undefined) return (await wasRemoved(store.db, { id })) ? REMOVED_PICTURES : UNKNOWN_LINK;
  const state = shareState(share, new Date());
  if (state === 'revoked') return REVOKED_LINK;
  if (state === 'expired') return EXPIRED_LINK;
  return share.disabled ? UNAVAILABLE_LINK : share;
}

function linkPage(title: string, text: string, status: number): ResultsPage {
  return { ...messagePage(title, text, status), isShared: true };
}
