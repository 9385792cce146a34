/** The links of mails to clients: one confirms an address, the other ends the mails. */
import { readShareToken } from '../../api/auth/shareTokens.ts';
import { confirmFollower, stopFollower } from '../../core/sharing/followers.ts';
import type { Queryable } from '../../db/database.ts';
import { textsOf } from '../../domain/texts/languages.ts';
import { html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import { messagePage } from '../parts/layout.ts';
import { pathsOf } from '../parts/paths.ts';
import type { PageRoutes } from '../routes/pageRoutes.ts';

const ACTIONS: Readonly<Record<'follow' | 'unfollow', (db: Queryable, id: string) => Promise<boolean>>> = {
  follow: confirmFollower,
  unfollow: stopFollower,
};

/** One click in the mail program sends POST (RFC 8058). GET changes nothing, because programs that check links open them. */
export function addFollowRoutes({ options, router, send }: PageRoutes): void {
  const { store, secret, publicUrl, openLimits } = options;
  const paths = pathsOf(publicUrl, '');
  const texts = textsOf('en').followPages;
  const unknown = { ...messagePage(texts.unknown, texts.unknownText, 404), isShared: true };
  for (const [action, act] of Object.entries(ACTIONS)) {
    const { ask, label, done, doneText } = texts[action === 'follow' ? 'follow' : 'unfollow'];
    const path = `/${action}/:token`;
    router.get(path, (request, response) => {
      openLimits?.takeOfAddress(request, response);
      const form = html`<section class="signin"><h1>${ask}</h1>
<form method="post" action="${paths.base}/${action}/${request.params['token']}">${button({ label, kind: 'primary' })}</form></section>`;
      const isKnown = readShareToken(secret, String(request.params['token'])) !== undefined;
      send(response, isKnown ? { title: ask, body: form, isShared: true } : unknown, { paths });
    });
    router.post(path, async (request, response) => {
      openLimits?.takeOfAddress(request, response);
      const id = readShareToken(secret, String(request.params['token']));
      const isDone = id !== undefined && (await act(store.db, id));
      send(response, isDone ? { ...messagePage(done, doneText, 200), isShared: true } : unknown, { paths });
    });
  }
}
