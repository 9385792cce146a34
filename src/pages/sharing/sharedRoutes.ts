/** The routes of a share link: its pages, the answers of clients, its password, live changes and downloads. */
import type { Request, Response } from 'express';
import { readShareToken } from '../../api/auth/shareTokens.ts';
import { COST } from '../../api/limits/costs.ts';
import { inTurnOfLink } from '../../api/limits/turns.ts';
import { readOrFail } from '../../api/public/endpoint.ts';
import { callerAddress } from '../../api/server/caller.ts';
import { ClientAnswer, ClientComment } from '../../contract/sharing.ts';
import { readBranding } from '../../core/organizations/branding.ts';
import { readSetIds } from '../../core/sets/campaigns.ts';
import { ownerOf } from '../../core/sets/shownVersions.ts';
import { answerShare, commentOnShare } from '../../core/sharing/answers.ts';
import { followShare } from '../../core/sharing/followers.ts';
import { readSharedPlace } from '../../core/sharing/sharedPictures.ts';
import { findShareLink, noteShareLinkUse, type SharedSet } from '../../core/sharing/shareLinks.ts';
import { shareFault, unlockToken, verifySharePassword } from '../../core/sharing/sharePasswords.ts';
import { picturePath } from '../../domain/addresses.ts';
import { textsOf } from '../../domain/texts/languages.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { setCookie } from '../parts/cookies.ts';
import { formField, withNotice } from '../parts/forms.ts';
import { setSource, setsSource } from '../parts/live.ts';
import { pathsOf } from '../parts/paths.ts';
import { browserLanguage } from '../parts/words.ts';
import { type DownloadSource, downloadPage, startDownload } from '../pictures/downloads.ts';
import { commentOf } from '../pictures/threads.ts';
import { formBody, type PageRoutes } from '../routes/pageRoutes.ts';
import { deadLink, findShared, linkOpener, lockedPage, readerOf, shareKeyOf } from './sharedLink.ts';
import { brandStyle, sharedLayout, sharedPage } from './sharedPage.ts';
import { replacedPage } from './sharedPicture.ts';
import { CLIENT_COOKIE, clientOf, requireShareForm, UNLOCK_COOKIE } from './shareForms.ts';

/** Serves what a share link opens, without a key: /s/:token. */
export function addSharedRoutes(pages: PageRoutes): void {
  const { options, router } = pages;
  const { db } = options.store;
  const opened = linkOpener(pages);
  const paths = pathsOf(options.publicUrl, '');
  router.get(
    '/s/:token',
    opened(async (share, request, response) => {
      await noteShareLinkUse(db, share.id);
      return inTurnOfLink(share.id, response, () => sharedPage(options, share, readerOf(options, request)));
    }),
  );
  router.post(
    '/s/:token/answers',
    formBody(),
    opened(async (share, request, response) => {
      requireShareForm(request);
      options.openLimits?.takeToWrite(share.id, request, response);
      return inTurnOfLink(share.id, response, () => answerLink(options, share, { request, response }));
    }),
  );
  router.post('/s/:token/unlock', formBody(), async (request, response) => {
    options.openLimits?.takeOfAddress(request, response);
    requireShareForm(request);
    const { secret } = options;
    const token = String(request.params['token']);
    const id = readShareToken(secret, token);
    const link = id === undefined ? undefined : await findShareLink(db, id);
    const path = paths.share(token);
    const picture = formField(request, 'picture');
    if (link !== undefined && shareFault(link, { tokens: [], secret }) === 'locked') {
      options.openLimits?.takePassword(link.id, request, response);
      if (!(await verifySharePassword(link, formField(request, 'password')))) {
        pages.send(response, await lockedPage(options, link, { path, picture, isWrong: true }), { paths });
        return;
      }
      setCookie(response, UNLOCK_COOKIE, { ...cookieOf(options, path), value: unlockToken(secret, link) });
    }
    if (link === undefined) pages.send(response, deadLink('unknown', browserLanguage(request)), { paths });
    else response.redirect(303, picture === '' ? path : picturePath(path, { image_token: picture }));
  });
  router.get(
    '/s/:token/events',
    opened(async (share, request, response) => {
      const { organizationId, id: linkId } = share;
      const { setId, campaignId } = ownerOf(share);
      const source = campaignId
        ? setsSource(() => readSetIds(db, campaignId), organizationId)
        : setSource(options, { id: setId ?? '', organizationId });
      const hasAccess = async () => !('title' in (await findShared(options, request)));
      await pages.live.open(response, { organizationId, linkId }, source, hasAccess);
      return 'sent';
    }, COST.list),
  );
  const sourceOf = (share: SharedSet, request: Request): DownloadSource => {
    const path = paths.share(String(request.params['token']));
    const { organizationId, pictures, screenshot_ids: ids, language } = share;
    const approvedOnly = pictures === 'approved';
    const texts = textsOf(language).parts;
    return {
      organizationId,
      owner: ownerOf(share),
      audience: 'shared',
      approvedOnly,
      ids,
      path,
      base: paths.base,
      texts,
    };
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
    opened(async (share, request, response) => {
      if (!share.downloads) return undefined;
      const page = await downloadPage(options, sourceOf(share, request), { request, response });
      if (page === undefined || page === 'sent') return page;
      const branding = await readBranding(db, share.organizationId);
      return { ...page, ...sharedLayout(branding, paths, String(request.params['token'])) };
    }),
  );
  router.use('/s', (request, response) => {
    pages.send(response, deadLink('unknown', browserLanguage(request)), { paths });
  });
}

/** Stores an answer, and leads to the next picture. @returns a page if the picture was replaced. */
async function answerLink(
  options: PagesOptions,
  share: SharedSet,
  { request, response }: { request: Request; response: Response },
): Promise<ResultsPage | 'sent' | undefined> {
  const path = pathsOf(options.publicUrl, '').share(String(request.params['token']));
  const picture = formField(request, 'picture');
  const place = picture === '' ? undefined : await readSharedPlace(options.store.db, share, { picture });
  if (place === undefined && picture !== '') {
    const text = formField(request, 'body');
    return replacedPage(options, share, { ...readerOf(options, request), picture, text });
  }
  const stored = await storeAnswer(options, share, { request, screenshotId: place?.view.id ?? null });
  const notice = options.mailer !== undefined && formField(request, 'follow') !== '' ? 'followed' : stored;
  const { name, email } = clientOf(request);
  const value = new URLSearchParams({ name: name.trim(), email: email.trim() }).toString();
  setCookie(response, CLIENT_COOKIE, { ...cookieOf(options, path), value, encode: String });
  const next = (stored === 'answered' ? place?.next : undefined) ?? place?.view;
  response.redirect(303, withNotice(next ? picturePath(path, next) : path, notice));
  return 'sent';
}

/** Stores what {@link answerForm} or {@link replyForm} sent. */
async function storeAnswer(
  options: PagesOptions,
  share: SharedSet,
  { request, screenshotId }: { request: Request; screenshotId: string | null },
): Promise<'answered' | 'commented'> {
  const { store } = options;
  const visit = { shareId: share.id, address: callerAddress(request) || null, ...shareKeyOf(options, request) };
  const { body, pin, reply_to } = commentOf(request);
  const [answer, who] = [formField(request, 'answer'), { screenshot_id: screenshotId, ...clientOf(request) }];
  const follows = formField(request, 'follow') !== '';
  const comment = answer === '' ? readOrFail(ClientComment, { body, pin, reply_to, ...who }) : undefined;
  const given = comment ?? readOrFail(ClientAnswer, { answer, comment: body.trim() || null, pin, ...who });
  await store.db.transaction().execute(async (tx) => {
    if ('answer' in given) await answerShare(tx, visit, given);
    else await commentOnShare(tx, visit, given);
    if (follows) await followShare(tx, share.id, given.email);
  });
  return comment === undefined ? 'answered' : 'commented';
}

const COOKIE_MS = 90 * 86_400_000;

/** For the browser of one person, and only for this link. */
const cookieOf = ({ publicUrl }: PagesOptions, path: string) => ({
  publicUrl,
  path,
  maxAge: COOKIE_MS,
});
