/** The part of a set's page that creates, lists and revokes its share links, and its routes. */
import { shareToken } from '../api/auth/shareTokens.ts';
import { createShareLink, listShareLinks, revokeLink, type ShareLinkRow } from '../core/sharing/shareLinks.ts';
import { sharePage } from '../domain/addresses.ts';
import { notFound } from '../domain/failure.ts';
import { inDays, SHARE_DAYS_DEFAULT, SHARE_DAYS_MAX, SHARE_LABEL_MAX, shareState } from '../domain/shareLinks.ts';
import { isUuid } from '../domain/slugs.ts';
import { cutCodePoints, storable } from '../domain/text.ts';
import { type Html, type HtmlContent, html } from '../lib/html.ts';
import type { PagesOptions, Viewer } from './context.ts';
import { formField, hiddenFields } from './forms.ts';
import { timeElement } from './labels.ts';
import { goBack, idOf, type PageRoutes } from './pageRoutes.ts';
import type { PagePaths } from './paths.ts';

const LINKS_SHOWN = 100;
const DAYS = [7, SHARE_DAYS_DEFAULT, 90, 365];
const STATES = { active: 'Valid', expired: 'Expired', revoked: 'Revoked' } as const;

interface PanelOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
}

export async function sharePanel(options: PagesOptions, setId: string, given: PanelOptions): Promise<Html> {
  const { viewer, paths } = given;
  const filter = { organizationId: viewer.organizationId, setId };
  const { rows } = await listShareLinks(options.store.db, filter, { page: 1, perPage: LINKS_SHOWN });
  const path = paths.set(setId);
  return html`<section id="share" class="panel share"><h2>Share</h2>
<p>Everybody who has a link sees the pictures of this set with site, device and time, and nothing else of it.</p>
<form class="fields" method="post" action="${path}/shares">${hiddenFields(viewer, path)}
  <label for="share-label">For whom</label><input id="share-label" name="label" maxlength="${SHARE_LABEL_MAX}" autocomplete="off">
  <label for="share-days">Valid for</label><select id="share-days" name="days">${DAYS.map((days) => html`<option value="${days}"${days === SHARE_DAYS_DEFAULT && html` selected`}>${days} days</option>`)}</select>
  <label class="check"><input type="checkbox" name="downloads" value="yes"> <span>Allow downloads as PowerPoint, PDF or ZIP, with the names of the ads</span></label>
  <button>Create a link</button>
</form>
${rows.length > 0 && html`<ul class="shares">${rows.map((row) => item(options, row, given))}</ul>`}
</section>`;
}

function item({ secret, publicUrl }: PagesOptions, row: ShareLinkRow, { viewer, paths }: PanelOptions): Html {
  const state = shareState(row, new Date());
  const address = sharePage(publicUrl, shareToken(secret, row.id));
  const name = row.label === '' ? 'Link' : row.label;
  const path = paths.set(row.set_id);
  return html`<li>
  <p class="what"><strong><bdi>${name}</bdi></strong> <span class="state ${state}">${STATES[state]}</span></p>
  <p class="meta">${when(row)}</p>
  ${
    state === 'active' &&
    html`<input readonly value="${address}" aria-label="Address of ${name}">
  <form method="post" action="${path}/shares/${row.id}/revoke">${hiddenFields(viewer, path)}<button class="danger">Revoke</button></form>`
  }
</li>`;
}

function when({ created_at, expires_at, revoked_at, last_used_at, creator, downloads }: ShareLinkRow): HtmlContent {
  const end =
    revoked_at === null ? html`valid until ${timeElement(expires_at)}` : html`revoked ${timeElement(revoked_at)}`;
  const use = last_used_at === null ? 'never opened' : html`last opened ${timeElement(last_used_at)}`;
  return html`Created ${timeElement(created_at)}${creator && ` by ${creator}`}, ${end}, ${use}${downloads && ', with downloads'}`;
}

export function addShareRoutes(pages: PageRoutes): void {
  const { db } = pages.options.store;
  const path = '/o/:slug/screenshot_sets/:id/shares';
  pages.post(path, async (given) => {
    const field = (name: string) => formField(given.request, name);
    const days = Number(field('days'));
    const isValid = Number.isInteger(days) && days >= 1 && days <= SHARE_DAYS_MAX;
    const link = {
      organizationId: given.viewer.organizationId,
      setId: idOf(given.request),
      expiresAt: inDays(new Date(), isValid ? days : SHARE_DAYS_DEFAULT),
      downloads: field('downloads') !== '',
      label: cutCodePoints(storable(field('label')).trim(), SHARE_LABEL_MAX),
    };
    await db.transaction().execute((tx) => createShareLink(tx, link, given.actor));
    return goBack(given);
  });
  pages.post(`${path}/:share/revoke`, async (given) => {
    const id = String(given.request.params['share']).toLowerCase();
    if (!isUuid(id)) throw notFound('share_id', 'There is no such share link.');
    const link = { organizationId: given.viewer.organizationId, setId: idOf(given.request), id };
    await db.transaction().execute((tx) => revokeLink(tx, link, given.actor));
    return goBack(given);
  });
}
