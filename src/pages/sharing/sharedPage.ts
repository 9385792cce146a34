/** The page that a share link opens: pictures with site, device and time. It shows nothing else of the set. */
import { type BrandingRow, type Locale, readBranding } from '../../core/organizations/branding.ts';
import { threadsOfScreenshots } from '../../core/reviews/commentQueries.ts';
import { type NamedObject, readObjectNames } from '../../core/sets/objectNames.ts';
import { ownerOf } from '../../core/sets/shownVersions.ts';
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
import type { Texts } from '../../domain/texts/languages.ts';
import { shownPart } from '../../domain/thumbnails.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, button, dialog, pageHead, panel } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { markerLabel } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { numberedPages, siteName, thumbnail, widthAtHeight } from '../parts/pictureParts.ts';
import { clientWords, type Words } from '../parts/words.ts';
import { downloadForm } from '../pictures/downloads.ts';
import { type Group, groupPictures } from '../pictures/grouping.ts';
import { nameOf } from '../pictures/stage.ts';
import { threadList } from '../pictures/threads.ts';
import { brandOf, type SharedOptions } from './sharedLink.ts';
import { answerButtons, answerForm, replyForm } from './shareForms.ts';

const PER_PAGE = 240;

export async function sharedPage(
  options: PagesOptions,
  share: SharedSet,
  { paths, token, client, page }: SharedOptions,
): Promise<ResultsPage> {
  const { db } = options.store;
  const { organizationId, downloads } = share;
  const summary = await readSharedSummary(db, share);
  const { pictures, unanswered, isLive } = summary;
  const shown = await readSharedPage(db, share, { skip: (page - 1) * PER_PAGE, take: PER_PAGE });
  const ids = summary.sets > 1 ? shown.map(({ own_set }) => own_set) : [];
  const names = await readObjectNames(db, { organizationId, ids });
  const branding = await readBranding(db, organizationId);
  const canDownload = downloads && !isLive && pictures > 0;
  const canAnswer = share.answers && unanswered > 0;
  const words = clientWords(share);
  const { texts } = words;
  const isRest = unanswered < pictures;
  const forAll = isRest ? texts.share.forAll.rest : texts.share.forAll.all;
  const path = paths.share(token);
  const file = { path, pictures, isShared: true, texts: texts.parts };
  const threads = (await threadsOfScreenshots(db, [], { owner: ownerOf(share), shareId: share.id })).get(null) ?? [];
  const reply = share.answers && ((id: string) => replyForm({ path, client, texts }, id));
  const look = threadLook(branding, words, { reply });
  const actions = [
    canDownload && button({ label: texts.parts.download.form.label, icon: 'download', opens: 'download' }),
    canAnswer && button({ label: forAll, icon: 'check', kind: 'primary', opens: 'answer-all' }),
  ];
  const answer = html`<p id="for-all" data-live>${texts.share.scope(unanswered, isRest)}</p>
    ${answerForm({ path, client, canFollow: options.mailer !== undefined, texts }, answerButtons(texts))}`;
  const body = html`
<div id="shared" data-live>
${head(share.campaign, { summary, actions, words })}
${bySet(shown, names, { paths, path, words })}
${numberedPages({ page, pages: Math.ceil(pictures / PER_PAGE), addressOf: (to) => `${path}?page=${to}`, texts: texts.parts })}
${threads.length > 0 && panel(texts.share.names.onAll, threadList(threads, look))}
${branding.footer_text !== null && html`<footer class="meta"><bdi>${branding.footer_text}</bdi></footer>`}
</div>
${canDownload && dialog('download', texts.parts.download.form.label, downloadForm(file), texts.parts)}
${canAnswer && dialog('answer-all', forAll, answer, texts.parts)}`;
  return { ...sharedLayout(branding, paths, token), title: share.campaign, body, events: `${path}/events` };
}

/** For example "Approved: 7 · Changes requested: 1 · No answer: 2". */
function answersLine({ approved, changes, unanswered, renewed }: SharedSummary, { answers }: Texts['share']) {
  if (approved + changes + renewed === 0) return null;
  const counts = { approved, changes_requested: changes, new: renewed, none: unanswered - renewed };
  const shown = (['approved', 'changes_requested', 'new', 'none'] as const).filter((answer) => counts[answer] > 0);
  return html`<p><strong>${shown.map((answer) => `${answers[answer]}: ${counts[answer]}`).join(' · ')}</strong></p>`;
}

/** How pages of a link look. */
export function sharedLayout(branding: BrandingRow & Locale, paths: PagePaths, token: string) {
  const brandStyle = `${paths.share(token)}/brand.css`;
  const assets = ['set.css', 'set.js', 'downloads.js'] as const;
  return { isShared: true, language: branding.language, ...brandOf(branding, paths), brandStyle, assets };
}

/**
 * How clients see threads.
 * @param reply the form below a thread; false if the link does not allow it. @param shownId the version that the page shows.
 */
export function threadLook(
  { brand_name: brand }: BrandingRow,
  { texts, date }: Words,
  { reply, shownId }: { readonly reply: false | ((id: string) => Html); readonly shownId?: string },
) {
  return {
    texts: texts.parts,
    shownId,
    author: ({ client_name }: { client_name: string | null }) =>
      html`<bdi>${client_name ?? brand ?? texts.share.names.sender}</bdi>`,
    time: date,
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
  readonly actions: HtmlContent;
  readonly words: Words;
}

function head(campaign: string, { summary, actions, words }: HeadOptions): Html {
  const { document, share } = words.texts;
  const { pictures, isLive } = summary;
  const none = isLive ? share.taking.all : share.none;
  return html`${pageHead({ title: html`<bdi>${campaign}</bdi>`, meta: summaryLine(summary, words), actions })}
${answersLine(summary, share)}<p class="meta">${document.previews}: ${document.about}</p>
${pictures === 0 && html`<p>${none}</p>`}${pictures > 0 && isLive && html`<p>${share.taking.more}</p>`}`;
}

/** For example "12 pictures · 3 sites · Desktop, iPhone · 300 × 250 · 21 Nov 2026". */
function summaryLine(summary: SharedSummary, { texts, date }: Words): HtmlContent {
  const { pictures, sites, devices, sizes, from, to } = summary;
  if (pictures === 0) return null;
  const [first, last] = [from && date(from), to && date(to)];
  const parts = [
    texts.document.counts(pictures, sites),
    [...new Set(devices.map(texts.device))].join(', '),
    sizes.map(([width, height]) => `${width} × ${height}`).join(', '),
    first && html`${first}${last?.text !== first.text && html` – ${last}`}`,
  ].filter((part) => part);
  return parts.map((part, index) => html`${index > 0 && ' · '}${part}`);
}

/** CSS pixels, as in set.css. */
const SHOWN_HEIGHT = 280;

/** The name of a set stands above its pictures if the link shows several sets. */
function bySet(shown: readonly SharedPicture[], names: ReadonlyMap<string, NamedObject>, options: CellOptions): Html[] {
  return [...Map.groupBy(shown, ({ own_set }) => own_set)].map(([set, pictures]) => {
    const name = names.get(set)?.name;
    return html`${name && html`<h2><bdi>${name}</bdi></h2>`}
<div class="groups">${groupPictures(pictures, 'site').map((group) => section(group, options))}</div>`;
  });
}

interface CellOptions {
  readonly paths: PagePaths;
  /** The path of the link. */
  readonly path: string;
  readonly words: Words;
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

/** The answer of the client, or that the picture is new since the one before. */
export function answerWord(
  { answer, isNew = false }: Pick<SharedPicture, 'answer'> & { isNew?: boolean },
  { share: { answers } }: Texts,
): HtmlContent {
  return isNew ? badge('pending', answers.new) : answer && badge(answer.answer, answers[answer.answer]);
}

/** The text of a picture, for readers who cannot see it. */
export function altOf({ ad, marker_ms, site_url, device }: SharedRow, { texts, language }: Words): string {
  const moment = marker_ms === null ? undefined : markerLabel(marker_ms, language);
  return texts.document.describe(ad.name, moment, siteName(site_url).host, texts.device(device));
}

function figure(view: SharedPicture, { paths, path, words }: CellOptions): HtmlContent {
  const { image_token: token, captured_at, ad } = view;
  const size = shownPart({ width: view.image_width, height: view.image_height });
  const shownWidth = widthAtHeight(size, SHOWN_HEIGHT);
  const picture = thumbnail({ paths, token, alt: altOf(view, words), size, shownWidth });
  return html`<figure class="shot" id="p-${token}"><a class="frame" href="${picturePath(path, view)}">${picture}</a>
    <figcaption>
      <p class="what">${nameOf(view, words)} ${answerWord(view, words.texts)}</p>
      <p class="meta"><bdi>${ad.name}</bdi></p>
      ${captured_at !== null && html`<p class="meta">${words.date(captured_at)}</p>`}
    </figcaption>
  </figure>`;
}
