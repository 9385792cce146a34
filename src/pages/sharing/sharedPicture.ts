/** The page of one picture of a share link: the picture, its comments, and the answer of the client. */
import { inTurnOfLink } from '../../api/limits/turns.ts';
import { readBranding } from '../../core/organizations/branding.ts';
import { threadsOfScreenshots } from '../../core/reviews/commentQueries.ts';
import { readVersionsOf, type VersionRow } from '../../core/sets/readVersions.ts';
import { ownerOf } from '../../core/sets/shownVersions.ts';
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
import { textsOf } from '../../domain/texts/languages.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import { button, facts, linkButton, pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { EMPTY_FORM, textField } from '../parts/formFields.ts';
import { markerLabel } from '../parts/labels.ts';
import { siteName } from '../parts/pictureParts.ts';
import { clientWords, type Words } from '../parts/words.ts';
import { comparison, comparisonChoice, moments, nameOf, neighbours, sizeOf, stage } from '../pictures/stage.ts';
import { pins, threadList } from '../pictures/threads.ts';
import type { PageRoutes } from '../routes/pageRoutes.ts';
import { linkOpener, readerOf, type SharedOptions } from './sharedLink.ts';
import { altOf, answerWord, sharedLayout, threadLook } from './sharedPage.ts';
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
  const { organizationId } = share;
  const shownPlace = await readSharedPlace(db, share, { picture, other: compareWith });
  if (shownPlace === undefined) return undefined;
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
  const words = clientWords(share);
  const { texts } = words;
  const { headings } = texts.share;
  const form = { path, client, picture, canFollow: mailer !== undefined, texts };
  const reply = share.answers && ((thread: string) => replyForm(form, thread));
  const look = threadLook(branding, words, { reply, shownId: view.id });
  const earlier = before?.image_token ? [{ value: before.image_token, name: texts.share.names.before }] : [];
  const likes = like.map((one) => ({ value: one.image_token, name: `${nameOf(one, words)}, ${one.ad.name}` }));
  const options = [...earlier, ...likes];
  const shown =
    beside === undefined
      ? stage(view.image_token, view, {
          paths,
          words,
          alt: altOf(view, words),
          tools: html`${moments(strip, view, addressOf, words)}${comparisonChoice(here, options, words)}`,
          animation: view.animation,
          canDownload: share.downloads,
          overlay: pins(found.get(view.id) ?? [], sizeOf(view), texts.parts),
        })
      : comparison([view, beside], here, { paths, words });
  const moment = view.marker_ms !== null && `, ${markerLabel(view.marker_ms, words.language)}`;
  const links = neighbours({ ...shownPlace, place: view.place }, addressOf, words);
  const title = pageHead({
    up: { href: `${path}#p-${view.image_token}`, label: html`<bdi>${share.campaign}</bdi>` },
    title: html`${siteName(view.site_url).host} <span class="meta">${texts.device(view.device)}${moment}</span>`,
    badge: answerWord(view, texts),
    actions: [links, share.answers && answerButtons(texts, view.answer?.answer)],
  });
  const comments = html`<section id="comments">
    <h2>${share.answers ? headings.yours : headings.comments}</h2>
    ${threadList(threads, look)}
    ${share.answers && answerForm(form, button({ label: texts.share.form.only }))}
  </section>`;
  const body = html`<div id="head" class="picture-head" data-live>${title}</div>
<div class="one">
  <section id="stage" data-live>${shown}</section>
  <aside id="details" class="details" tabindex="0" aria-label="${headings.details}">
    <section id="about" data-live>${about(view, words)}</section>
    ${(share.answers || threads.length > 0) && comments}
  </aside>
</div>`;
  return { ...sharedLayout(branding, paths, token), title: nameOf(view, words), body, events: `${path}/events` };
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
  const own = await findOwnId(db, ownerOf(share), picture);
  if (own === undefined) return undefined;
  const now = await readReplacement(db, share, own);
  const path = paths.share(token);
  const texts = textsOf(share.language).share;
  const { title, next: label } = now ? texts.replaced : texts.withdrawn;
  const href = now ? picturePath(path, { image_token: now }) : path;
  const next = linkButton({ href, label, kind: 'primary' });
  const kept =
    text !== '' &&
    textField({ name: 'text', label: texts.unsent, rows: 4, value: text, more: html` readonly` }, EMPTY_FORM);
  const body = html`<section class="panel stack"><h1>${title}</h1>${kept}<p>${next}</p></section>`;
  return { ...sharedLayout(await readBranding(db, share.organizationId), paths, token), title, body, status: 410 };
}

function about({ site_url, ad, device, captured_at, answer }: SharedPicture, { texts, time }: Words): HtmlContent {
  const { columns, time: captured } = texts.document;
  const by = answer && html`<bdi>${answer.client_name}</bdi> · ${time(answer.created_at)}`;
  const size = ad.width !== null && html` <span class="meta">${ad.width} × ${ad.height}</span>`;
  return facts([
    [columns.page, siteName(site_url).address],
    [columns.ad, html`<bdi>${ad.name}</bdi>${size}`],
    [columns.device, texts.device(device)],
    [captured, captured_at && time(captured_at)],
    [texts.share.headings.answer, by && html`${answerWord({ answer }, texts)} ${by}`],
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
