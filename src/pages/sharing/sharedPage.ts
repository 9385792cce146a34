/** The page that a share link opens: pictures with site, device and time. It shows nothing else of the set. */
import { type BrandingRow, readBranding } from '../../core/organizations/branding.ts';
import { type CommentRow, threadsOfScreenshots } from '../../core/reviews/commentQueries.ts';
import { readSetHead, type SetHead } from '../../core/sets/readSet.ts';
import {
  readSharedPage,
  readSharedSummary,
  type SharedPicture,
  type SharedRow,
  type SharedSummary,
} from '../../core/sharing/sharedPictures.ts';
import type { SharedSet } from '../../core/sharing/shareLinks.ts';
import { picturePath } from '../../domain/addresses.ts';
import { inkOn, readableOn } from '../../domain/branding.ts';
import { shortDevice } from '../../domain/devices.ts';
import { counted } from '../../domain/text.ts';
import { shownPart } from '../../domain/thumbnails.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, button, dialog, pageHead, panel } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { dateElement, markerLabel } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { numberedPages, siteName, thumbnail, widthAtHeight } from '../parts/pictureParts.ts';
import { downloadForm } from '../pictures/downloads.ts';
import { type Group, groupPictures } from '../pictures/grouping.ts';
import { earlierRemark, threadList } from '../pictures/threads.ts';
import { brandOf, type SharedOptions } from './sharedLink.ts';
import { answerButtons, answerForm, replyForm } from './shareForms.ts';

const PER_PAGE = 240;

/** @returns undefined if there is no such set. */
export async function sharedPage(
  options: PagesOptions,
  share: SharedSet,
  { paths, token, client, page }: SharedOptions,
): Promise<ResultsPage | undefined> {
  const { db } = options.store;
  const { set_id, organizationId, downloads } = share;
  const set = await readSetHead(db, { id: set_id, organizationId });
  if (set === undefined) return undefined;
  const summary = await readSharedSummary(db, share);
  const { pictures, unanswered } = summary;
  const shown = await readSharedPage(db, share, { skip: (page - 1) * PER_PAGE, take: PER_PAGE });
  const isLive = set.status === 'draft' || set.status === 'capturing';
  const branding = await readBranding(db, organizationId);
  const canDownload = downloads && !isLive && pictures > 0;
  const canAnswer = share.answers && unanswered > 0;
  const others = unanswered === 1 ? 'last picture' : `other ${unanswered}`;
  const forAll = unanswered === pictures ? 'Answer for all' : `Answer for the ${others}`;
  const path = paths.share(token);
  const file = { path, pictures, isShared: true };
  const threads = (await threadsOfScreenshots(db, [], { setId: set_id, shareId: share.id })).get(null) ?? [];
  const look = threadLook(branding, share.answers && ((id) => replyForm({ path, client }, id)));
  const actions = [
    canDownload && button({ label: 'Download', icon: 'download', opens: 'download' }),
    canAnswer && button({ label: forAll, icon: 'check', kind: 'primary', opens: 'answer-all' }),
  ];
  const answer = html`<p id="for-all" data-live>${scopeOf(summary)}</p>
    ${answerForm({ path, client, canFollow: options.mailer !== undefined }, answerButtons(undefined))}`;
  const body = html`
<div id="shared" data-live>
${head(set, { summary, isLive, actions })}
${sections(shown, { paths, path })}
${numberedPages({ page, pages: Math.ceil(pictures / PER_PAGE), addressOf: (to) => `${path}?page=${to}` })}
${threads.length > 0 && panel('Comments on all pictures', threadList(threads, look))}
${branding.footer_text !== null && html`<footer class="meta"><bdi>${branding.footer_text}</bdi></footer>`}
</div>
${canDownload && dialog('download', 'Download', downloadForm(file))}
${canAnswer && dialog('answer-all', pictures === 1 ? 'Answer' : forAll, answer)}`;
  return { ...sharedLayout(branding, paths, token), title: set.campaign, body, events: `${path}/events` };
}

/** Says which pictures an answer for all is about. */
function scopeOf({ pictures, unanswered }: SharedSummary): string {
  const kept = pictures - unanswered;
  if (kept === 0) return `Your answer applies to ${pictures === 1 ? 'the picture' : `all ${pictures} pictures`}.`;
  const open = unanswered === 1 ? 'one picture' : `${unanswered} pictures`;
  const others = kept === 1 ? 'other picture keeps its answer' : `other ${kept} pictures keep their answers`;
  return `Your answer applies to the ${open} without an answer. The ${others}.`;
}

/** For example "7 approved, 1 change requested, 2 without an answer". */
function answersLine({ approved, changes, unanswered, renewed }: SharedSummary): HtmlContent {
  if (approved + changes + renewed === 0) return null;
  const parts = [
    approved > 0 && `${approved} approved`,
    changes > 0 && `${counted(changes, 'change')} requested`,
    renewed > 0 && counted(renewed, 'new version'),
    unanswered > renewed && `${unanswered - renewed} without an answer`,
  ].filter(Boolean);
  return html`<p><strong>${parts.join(', ')}</strong></p>`;
}

/** How pages of a link look. */
export function sharedLayout(branding: BrandingRow, paths: PagePaths, token: string) {
  const brandStyle = `${paths.share(token)}/brand.css`;
  const assets = ['set.css', 'set.js', 'downloads.js'] as const;
  return { isShared: true, ...brandOf(branding, paths), brandStyle, assets };
}

/**
 * How clients see threads.
 * @param reply the form below a thread; false if the link does not allow it. @param shownId the version that the page shows.
 */
export function threadLook(
  { brand_name: brand }: BrandingRow,
  reply: false | ((id: string) => Html),
  shownId?: string,
) {
  return {
    remark: (row: CommentRow) => earlierRemark(row, shownId),
    author: ({ client_name }: { client_name: string | null }) =>
      html`<bdi>${client_name ?? brand ?? 'The sender'}</bdi>`,
    time: dateElement,
    actions: ({ id }: { id: string }) => (reply === false ? null : reply(id)),
  };
}

/** The style sheet of a shared page: an inline style would break the Content-Security-Policy. */
export async function brandStyle({ store }: PagesOptions, { organizationId }: SharedSet): Promise<string> {
  const { accent_color: accent } = await readBranding(store.db, organizationId);
  const [light, dark] = [readableOn(accent, '#f7f7f5'), readableOn(accent, '#1b1e21')];
  return `.shared .top { border-top: 4px solid ${accent}; }
.shared {
  --accent: light-dark(${light}, ${dark});
  --on-accent: light-dark(${inkOn(light)}, ${inkOn(dark)});
  --accent-ground: color-mix(in srgb, var(--accent) 10%, var(--panel));
}
`;
}

interface HeadOptions {
  readonly summary: SharedSummary;
  readonly isLive: boolean;
  readonly actions: HtmlContent;
}

function head({ campaign }: SetHead, { summary, isLive, actions }: HeadOptions): Html {
  const { pictures } = summary;
  const none = isLive ? 'The pictures are being taken. They will appear here.' : 'There are no pictures to show.';
  return html`${pageHead({ title: html`<bdi>${campaign}</bdi>`, meta: summaryLine(summary), actions })}
${answersLine(summary)}<p class="meta">Placement previews: Tearsheet put the ads into live pages. They do not show that a campaign ran.</p>
${pictures === 0 && html`<p>${none}</p>`}${pictures > 0 && isLive && html`<p>More pictures are being taken.</p>`}`;
}

/** For example "12 pictures · 3 sites · Desktop, iPhone · 300 × 250 · 21 Nov 2026". */
function summaryLine({ pictures, sites, devices, sizes, from, to }: SharedSummary): HtmlContent {
  if (pictures === 0) return null;
  const isOneDay = from?.toDateString() === to?.toDateString();
  const parts = [
    counted(pictures, 'picture'),
    counted(sites, 'site'),
    [...new Set(devices.map(shortDevice))].join(', '),
    sizes.map(([width, height]) => `${width} × ${height}`).join(', '),
    from && to && html`${dateElement(from)}${!isOneDay && html` to ${dateElement(to)}`}`,
  ].filter((part) => part);
  return parts.map((part, index) => html`${index > 0 && ' · '}${part}`);
}

/** CSS pixels, as in set.css. */
const SHOWN_HEIGHT = 280;
/** About one screen; a browser loads the others when they come near. */
const AT_ONCE = 4;

function sections(pictures: readonly SharedPicture[], options: Omit<CellOptions, 'first'>): Html {
  const first = new Set(pictures.slice(0, AT_ONCE));
  return html`<div class="groups">${groupPictures(pictures, 'site').map((group) => section(group, { ...options, first }))}</div>`;
}

interface CellOptions {
  readonly paths: PagePaths;
  /** The path of the link. */
  readonly path: string;
  readonly first: ReadonlySet<SharedPicture>;
}

function section({ first, strips }: Group<SharedPicture>, options: CellOptions): Html {
  const { host, address } = siteName(first.site_url);
  return html`<section class="group">
    <header>
      <h2>${host}</h2>
      ${address !== host && html`<p class="meta">${address}</p>`}
    </header>
    <div class="cells">${strips.map((strip) => film(strip, options))}</div>
  </section>`;
}

function film(frames: readonly SharedPicture[], options: CellOptions): HtmlContent {
  const figures = frames.map((frame) => figure(frame, options));
  return frames.length > 1 ? html`<div class="film">${figures}</div>` : figures;
}

/** For example "news.example · iPhone · 1.5 s". */
export function pictureName({ site_url, device, marker_ms }: SharedRow): string {
  const names = [siteName(site_url).host, shortDevice(device), marker_ms !== null && markerLabel(marker_ms)];
  return names.filter(Boolean).join(' · ');
}

/** The answer of the client, or that the picture is new since the one before. */
export function answerWord({
  answer,
  isNew = false,
}: Pick<SharedPicture, 'answer'> & { isNew?: boolean }): HtmlContent {
  if (isNew) return badge('pending', 'New version');
  return answer && badge(answer.answer, answer.answer === 'approved' ? 'Approved' : 'Changes requested');
}

function figure(view: SharedPicture, { paths, path, first }: CellOptions): HtmlContent {
  const { image_token: token, captured_at, ad } = view;
  const name = pictureName(view);
  const size = shownPart({ width: view.image_width, height: view.image_height });
  const shownWidth = widthAtHeight(size, SHOWN_HEIGHT);
  const alt = `Placement preview of ${ad.name}: ${name}`;
  const picture = thumbnail({ paths, token, alt, size, shownWidth, lazy: !first.has(view) });
  return html`<figure class="shot" id="p-${token}"><a class="frame" href="${picturePath(path, view)}">${picture}</a>
    <figcaption>
      <p class="what">${name} ${answerWord(view)}</p>
      <p class="meta"><bdi>${ad.name}</bdi></p>
      ${captured_at !== null && html`<p class="meta">${dateElement(captured_at)}</p>`}
    </figcaption>
  </figure>`;
}
