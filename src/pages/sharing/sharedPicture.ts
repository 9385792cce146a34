/** The page of one picture of a share link: the picture, its comments, and the answer of the client. */
import { inTurnOfLink } from '../../api/limits/turns.ts';
import { readBranding } from '../../core/organizations/branding.ts';
import { threadsOfScreenshots } from '../../core/reviews/commentQueries.ts';
import { readSetHead } from '../../core/sets/readSet.ts';
import { readVersionsOf, type VersionRow } from '../../core/sets/readVersions.ts';
import { latestAnswers } from '../../core/sharing/answerQueries.ts';
import {
  findOwnId,
  readReplacement,
  readSharedPlace,
  type SharedPicture,
  type SharedRow,
} from '../../core/sharing/sharedPictures.ts';
import type { SharedSet } from '../../core/sharing/shareLinks.ts';
import { picturePath } from '../../domain/addresses.ts';
import { shortDevice } from '../../domain/devices.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import { button, facts, linkButton, pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { EMPTY_FORM, textField } from '../parts/formFields.ts';
import { dateElement, markerLabel } from '../parts/labels.ts';
import { siteName } from '../parts/pictureParts.ts';
import { comparison, comparisonChoice, moments, neighbours, sizeOf, stage } from '../pictures/stage.ts';
import { pins, threadList } from '../pictures/threads.ts';
import type { PageRoutes } from '../routes/pageRoutes.ts';
import { linkOpener, readerOf, type SharedOptions } from './sharedLink.ts';
import { answerWord, pictureName, sharedLayout, threadLook } from './sharedPage.ts';
import { answerButtons, answerForm, replyForm } from './shareForms.ts';

interface SharedPictureOptions extends SharedOptions {
  /** The token of the picture. */
  readonly picture: string;
  /** The token of a picture to compare with; '' for none. */
  readonly compareWith: string;
}

/** @returns undefined if the link shows no such picture. */
async function sharedPicturePage(
  { store: { db }, mailer }: PagesOptions,
  share: SharedSet,
  { paths, token, client, picture, compareWith }: SharedPictureOptions,
): Promise<ResultsPage | undefined> {
  const { organizationId, set_id: id } = share;
  const set = await readSetHead(db, { id, organizationId });
  const shownPlace = await readSharedPlace(db, share, { picture, other: compareWith });
  if (set === undefined || shownPlace === undefined) return undefined;
  const { view, other, strip, like } = shownPlace;
  const branding = await readBranding(db, organizationId);
  const versions = await readVersionsOf(db, view.id);
  const versionIds = [...new Set([view.id, ...versions.map((version) => version.id)])];
  const before = view.isNew ? await answeredBefore(db, share, versions) : undefined;
  const beside = compareWith !== '' && before?.image_token === compareWith ? before : other;
  const found = await threadsOfScreenshots(db, versionIds, { shareId: share.id });
  const threads = versionIds.flatMap((version) => found.get(version) ?? []);
  const path = paths.share(token);
  const addressOf = (place: SharedRow) => picturePath(path, place);
  const here = addressOf(view);
  const form = { path, client, picture, canFollow: mailer !== undefined };
  const look = threadLook(branding, share.answers && ((thread) => replyForm(form, thread)), view.id);
  const earlier = before?.image_token ? [{ value: before.image_token, name: 'The picture before' }] : [];
  const likes = like.map((one) => ({ value: one.image_token, name: `${pictureName(one)}, ${one.ad.name}` }));
  const options = [...earlier, ...likes];
  const shown =
    beside === undefined
      ? stage(view.image_token, view, {
          paths,
          alt: `Placement preview of ${view.ad.name}: ${pictureName(view)}`,
          tools: html`${moments(strip, view, addressOf)}${comparisonChoice(here, options)}`,
          animation: view.animation,
          canDownload: share.downloads,
          overlay: pins(found.get(view.id) ?? [], sizeOf(view)),
        })
      : comparison([view, beside], here, paths);
  const moment = view.marker_ms !== null && `, ${markerLabel(view.marker_ms)}`;
  const links = neighbours({ ...shownPlace, place: view.place }, addressOf);
  const title = pageHead({
    up: { href: `${path}#p-${view.image_token}`, label: html`<bdi>${set.campaign}</bdi>` },
    title: html`${siteName(view.site_url).host} <span class="meta">${shortDevice(view.device)}${moment}</span>`,
    badge: answerWord(view),
    actions: [links, share.answers && answerButtons(view.answer?.answer)],
  });
  const comments = html`<section id="comments">
    <h2>${share.answers ? 'Your answer' : 'Comments'}</h2>
    ${threadList(threads, look)}
    ${share.answers && answerForm(form, button({ label: 'Send the comment only' }))}
  </section>`;
  const body = html`<div id="head" class="picture-head" data-live>${title}</div>
<div class="one">
  <section id="stage" data-live>${shown}</section>
  <aside id="details" class="details" tabindex="0" aria-label="Answers and details">
    <section id="about" data-live>${about(view)}</section>
    ${(share.answers || threads.length > 0) && comments}
  </aside>
</div>`;
  return { ...sharedLayout(branding, paths, token), title: pictureName(view), body, events: `${path}/events` };
}

/** @returns the version that a client answered last through this link, so that the link showed it. */
async function answeredBefore(
  db: PagesOptions['store']['db'],
  { id: linkId }: SharedSet,
  versions: readonly VersionRow[],
): Promise<VersionRow | undefined> {
  const answers = await latestAnswers(
    db,
    versions.map(({ id }) => id),
  );
  return versions.find(({ id }) => answers.get(id)?.share_id === linkId);
}

/**
 * The page for a picture that was taken again or withdrawn since its reader opened it.
 * @param text what the reader wrote about it. @returns undefined if it was never one of the set.
 */
export async function replacedPage(
  { store: { db } }: PagesOptions,
  share: SharedSet,
  {
    paths,
    token,
    picture,
    text,
  }: Pick<SharedPictureOptions, 'paths' | 'token' | 'picture'> & { readonly text: string },
): Promise<ResultsPage | undefined> {
  const own = await findOwnId(db, share.set_id, picture);
  if (own === undefined) return undefined;
  const now = await readReplacement(db, share, own);
  const path = paths.share(token);
  const next = now
    ? linkButton({ href: picturePath(path, { image_token: now }), label: 'See the new picture', kind: 'primary' })
    : linkButton({ href: path, label: 'See all pictures', kind: 'primary' });
  const title = now ? 'This picture was replaced' : 'This picture is no longer shown';
  const kept =
    text !== '' &&
    textField(
      {
        name: 'text',
        label: 'Your text was not sent. Copy it if you need it:',
        rows: 4,
        value: text,
        more: html` readonly`,
      },
      EMPTY_FORM,
    );
  const body = html`<section class="panel stack"><h1>${title}</h1>${kept}<p>${next}</p></section>`;
  return { ...sharedLayout(await readBranding(db, share.organizationId), paths, token), title, body, status: 410 };
}

function about({ site_url, ad, device, captured_at, answer }: SharedPicture): HtmlContent {
  const size = ad.width !== null && html` <span class="meta">${ad.width} × ${ad.height}</span>`;
  return facts([
    ['Page', siteName(site_url).address],
    ['Ad', html`<bdi>${ad.name}</bdi>${size}`],
    ['Device', shortDevice(device)],
    ['Date', captured_at && dateElement(captured_at)],
    [
      'Answer',
      answer && html`${answerWord({ answer })} by <bdi>${answer.client_name}</bdi>, ${dateElement(answer.created_at)}`,
    ],
  ]);
}

export function addSharedPictureRoutes(pages: PageRoutes): void {
  pages.router.get(
    '/s/:token/pictures/:picture',
    linkOpener(pages)(async (share, request, response) => {
      const [picture, compareWith] = [String(request.params['picture']), String(request.query['with'] ?? '')];
      const reader = { ...readerOf(pages.options, request), picture, compareWith };
      return inTurnOfLink(share.id, response, async () => {
        const page = await sharedPicturePage(pages.options, share, reader);
        return page ?? replacedPage(pages.options, share, { ...reader, text: '' });
      });
    }),
  );
}
