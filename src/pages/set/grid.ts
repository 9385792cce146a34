/** The pictures of a set: a dense grid in groups, with the moments of one placement beside each other. */
import { createHash } from 'node:crypto';
import { findDevice, shortDevice } from '../../domain/devices.ts';
import { counted } from '../../domain/text.ts';
import { withScheme } from '../../domain/webAddresses.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, button, selectionBar } from '../parts/components.ts';
import type { Viewer } from '../parts/context.ts';
import type { IconName } from '../parts/icons.ts';
import { decisionBadge, markerLabel, timeElement } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { frame, siteName, warningList, webLink } from '../parts/pictureParts.ts';
import { type Group, type Grouping, groupName } from '../pictures/grouping.ts';
import type { ReviewedPicture } from '../pictures/pictures.ts';
import { answerBadge } from '../pictures/threads.ts';
import { seenField } from './seenReviews.ts';

interface GridOptions {
  readonly paths: PagePaths;
  /** How many ads the whole set shows. The name of the only one is not repeated under each picture. */
  readonly ads: number;
  /** Whether the viewer may decide about the pictures, inside the form that {@link pictureBar} ends. */
  readonly canReview: boolean;
  /** The path of the page that retakes pictures of that form; undefined if the viewer may not. */
  readonly retakePath: string | undefined;
}

export function grid(groups: readonly Group<ReviewedPicture>[], options: GridOptions): Html {
  const sections = groups.map((group) => section(group, options));
  return html`<section id="pictures" class="groups" data-keyed aria-label="Pictures">${sections}</section>`;
}

interface SelectionAction extends Pick<Parameters<typeof button>[0], 'label' | 'icon' | 'kind' | 'value'> {
  readonly scope: 'review' | 'write' | 'read';
  /** The page that asks for more, below the path of the set. */
  readonly page?: 'retake' | 'share' | 'download';
}

/** The actions on selected pictures. */
const ACTIONS: readonly SelectionAction[] = [
  { value: 'approved:selected', label: 'Approve', icon: 'check', scope: 'review' },
  { value: 'rejected:selected', label: 'Reject', icon: 'x', scope: 'review' },
  { value: 'none:selected', label: 'Clear the decision', kind: 'quiet', scope: 'review' },
  { page: 'retake', label: 'Retake or change the slot', icon: 'rotate-ccw', scope: 'write' },
  { page: 'share', label: 'Share', icon: 'share-2', scope: 'write' },
  { page: 'download', label: 'Download', icon: 'download', scope: 'read' },
];

/** @param only these pages, without decisions; everything that the viewer may do unless given. */
export function pictureBar({ scopes }: Viewer, path: string, only?: SelectionAction['page']): Html {
  const shown = ACTIONS.filter(({ scope, page }) => scopes.includes(scope) && (only === undefined || page === only));
  const buttons = shown.map(({ scope: _, page, ...look }) =>
    button({ ...look, ...(page ? { formAction: `${path}/selected/${page}` } : { name: 'decide' }) }),
  );
  return selectionBar('pictures', buttons);
}

interface CellOptions extends GridOptions {
  readonly by: Grouping;
}

/** The same on each list page and after each change, so that links and live updates find the group. */
export function groupId({ by, key }: Pick<Group<ReviewedPicture>, 'by' | 'key'>): string {
  return `${by}-${createHash('sha256').update(key).digest('hex').slice(0, 12)}`;
}

function section(group: Group<ReviewedPicture>, options: GridOptions): Html {
  const id = groupId(group);
  const name = groupName(group);
  const pictures = group.strips.flat().filter(({ image_token }) => image_token !== null);
  const strips = group.strips.map((strip) => stripOf(strip, { ...options, by: group.by }));
  return html`<section class="group" id="${id}">
    <header id="${id}-head" data-live>
      <h2><bdi>${name}</bdi></h2>
      <p class="meta">${about(group, options.paths)}</p>
      ${options.canReview && pictures.length > 1 && groupActions(id, { name, pictures }, options)}
    </header>
    <div class="cells" id="${id}-cells" data-keyed>${strips}</div>
  </section>`;
}

function groupActions(
  id: string,
  { name, pictures }: { readonly name: string; readonly pictures: readonly ReviewedPicture[] },
  { retakePath }: GridOptions,
): Html {
  const choice = (decision: 'approved' | 'rejected', verb: string) =>
    html`<button class="quiet" name="decide" value="${decision}:${id}" aria-label="${verb} all of ${name}">${verb} all</button>`;
  const look = { label: `Retake all of ${name}`, icon: 'rotate-ccw', kind: 'quiet', iconOnly: true } as const;
  const ids = pictures.map((picture) => picture.id).join(',');
  const retake = retakePath && button({ ...look, formAction: retakePath, name: 'pick', value: ids });
  return html`<p class="of-group">${choice('approved', 'Approve')}${choice('rejected', 'Reject')}${retake}</p>`;
}

function about({ by, first }: Group<ReviewedPicture>, paths: PagePaths): HtmlContent {
  if (by === 'site') return address(first.site_url);
  if (by === 'ad') return html`${sizeOf(first)} <a href="${paths.ad(first.ad.id)}">Open the ad</a>`;
  const device = findDevice(first.device);
  return device && html`${device.viewport.width} × ${device.viewport.height}`;
}

/** The heading names the host already. */
function address(siteUrl: string): HtmlContent {
  const { pathname = '/', search = '' } = URL.parse(withScheme(siteUrl)) ?? {};
  return webLink(siteUrl, pathname + search === '/' ? 'Open the page' : pathname + search);
}

function sizeOf({ ad }: ReviewedPicture): HtmlContent {
  return ad.width !== null && ad.height !== null && html`${ad.width} × ${ad.height}`;
}

function stripOf(frames: readonly ReviewedPicture[], options: CellOptions): HtmlContent {
  const [first] = frames;
  if (frames.length < 2 || first === undefined) return frames.map((frame) => cell(frame, options));
  return html`<div class="film" id="film-${first.id}" data-keyed>${frames.map((frame) => cell(frame, options))}</div>`;
}

function cell(view: ReviewedPicture, options: CellOptions): Html {
  const { paths } = options;
  const hasPicture = view.image_token !== null;
  const decision = view.review?.decision ?? 'none';
  const link = { paths, href: paths.screenshot(view.id), alt: altOf(view) };
  return html`<figure id="screenshot-${view.id}" class="shot ${decision}" data-live>${
    frame(view, link) ?? placeholder(view, options)
  }<figcaption>${caption(view, options)}${options.canReview && hasPicture && decide(view, decision)}</figcaption></figure>`;
}

function decide(view: ReviewedPicture, decision: string): Html {
  const { id, device, site_url } = view;
  const name = `${siteName(site_url).host}, ${shortDevice(device)}`;
  const choice = (value: 'approved' | 'rejected', verb: string, icon: IconName, key: string) => {
    const isPressed = decision === value;
    const send = { name: 'decide', value: `${isPressed ? 'none' : value}:${id}`, key };
    return button({ ...send, label: `${verb} ${name}`, icon, iconOnly: true, isPressed });
  };
  return html`<p class="decide">
    ${seenField(view)}<input type="checkbox" name="pick" value="${id}" aria-label="Select ${name}">
    ${choice('approved', 'Approve', 'check', 'a')}${choice('rejected', 'Reject', 'x', 'r')}
  </p>`;
}

/** Has the shape of the picture, so that the page does not move when the picture arrives. */
function placeholder({ id, device }: ReviewedPicture, { paths }: CellOptions): Html {
  const { width, height } = findDevice(device)?.viewport ?? { width: 1, height: 1 };
  return html`<a class="frame" href="${paths.screenshot(id)}" aria-label="Not taken yet"><svg class="empty"
    viewBox="0 0 ${width} ${height}" aria-hidden="true"></svg></a>`;
}

function altOf({ ad, site_url, device, marker_ms }: ReviewedPicture): string {
  return `${ad.name} on ${site_url}, ${shortDevice(device)}${marker_ms === null ? '' : `, ${markerLabel(marker_ms)}`}`;
}

function caption(view: ReviewedPicture, { by, ads, paths }: CellOptions): HtmlContent {
  const { device, ad, marker_ms, review } = view;
  const decided = decisionBadge(review?.decision ?? 'none');
  const names = [
    by !== 'site' && html`<bdi>${siteName(view.site_url).host}</bdi>`,
    by !== 'device' && shortDevice(device),
    marker_ms !== null && html`<span class="marker">${markerLabel(marker_ms)}</span>`,
  ].filter((name) => name !== false);
  const title = names.map((name, index) => html`${index > 0 && ' · '}${name}`);
  return html`<p class="what">${title}${decided && html` ${decided}`}</p>${fromOthers(view, paths)}
${by !== 'ad' && ads > 1 && html`<p class="meta ad"><bdi>${ad.name}</bdi></p>`}${status(view)}
${review?.comment && html`<p class="meta"><bdi>${review.comment}</bdi></p>`}${retakeNote(view)}${warnings(view)}`;
}

function status({ status, runningIn }: ReviewedPicture): HtmlContent {
  if (runningIn !== undefined) return html`<p>${badge('pending', 'Being retaken')}</p>`;
  return status === 'pending' && html`<p class="meta">Not taken yet</p>`;
}

/** The answer of a client, and open threads. */
function fromOthers({ id, answer, openThreads }: ReviewedPicture, paths: PagePaths): HtmlContent {
  if (answer === undefined && openThreads === 0) return null;
  const comments = html` <a href="${paths.screenshot(id)}#comments">${counted(openThreads, 'comment')}</a>`;
  return html`<p>${answerBadge(answer)}${openThreads > 0 && comments}</p>`;
}

function retakeNote({ retake, captured_at }: ReviewedPicture): HtmlContent {
  return retake && html`<p class="meta">Retaken${captured_at !== null && html` ${timeElement(captured_at)}`}</p>`;
}

function warnings({ warnings }: ReviewedPicture): HtmlContent {
  if (warnings.length === 0) return null;
  return html`<details class="warned"><summary>${counted(warnings.length, 'warning')}</summary>${warningList(warnings)}</details>`;
}
