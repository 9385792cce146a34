/** The links of mails to clients: one confirms an address, the other ends the mails. */
import type { Request, Response } from 'express';
import { readShareToken } from '../../api/auth/shareTokens.ts';
import { confirmFollower, readFollowerLanguage, stopFollower } from '../../core/sharing/followers.ts';
import { type Language, textsOf } from '../../domain/texts/languages.ts';
import { html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import type { ResultsPage } from '../parts/context.ts';
import { messagePage, notePage } from '../parts/layout.ts';
import { pathsOf } from '../parts/paths.ts';
import { browserLanguage } from '../parts/words.ts';
import type { PageRoutes } from '../routes/pageRoutes.ts';
import { deadLink } from './sharedLink.ts';

const ACTIONS = { follow: confirmFollower, unfollow: stopFollower } as const;

/** One click in the mail program sends POST (RFC 8058). GET changes nothing, because programs that check links open them. */
export function addFollowRoutes({ options, router, send }: PageRoutes): void {
  const { store, secret, publicUrl, openLimits } = options;
  const paths = pathsOf(publicUrl, '');
  type Page = (follower: { readonly id: string; readonly language: Language }) => ResultsPage | Promise<ResultsPage>;
  const answer = (page: Page) => async (request: Request, response: Response) => {
    openLimits?.takeOfAddress(request, response);
    const id = readShareToken(secret, String(request.params['token'])) ?? '';
    const language = id === '' ? undefined : await readFollowerLanguage(store.db, id);
    const shown = language ?? browserLanguage(request);
    const found = language && (await page({ id, language }));
    send(response, { ...(found ?? deadLink('unknown', shown)), isShared: true, language: shown }, { paths });
  };
  for (const action of ['follow', 'unfollow'] as const) {
    const path = `/${action}/:token`;
    router.get(
      path,
      answer(({ language }) => {
        const { ask, label } = textsOf(language).followPages[action];
        return notePage(ask, html`<form method="post">${button({ label, kind: 'primary' })}</form>`);
      }),
    );
    router.post(
      path,
      answer(async ({ id, language }) => {
        const { done, doneText } = textsOf(language).followPages[action];
        await ACTIONS[action](store.db, id);
        return messagePage(done, doneText, 200);
      }),
    );
  }
}
