/** The part of a set's page that creates, lists and revokes its share links, and its routes. */
import { shareToken } from '../../api/auth/shareTokens.ts';
import { readOrFail } from '../../api/public/endpoint.ts';
import { NewShare } from '../../contract/sharing.ts';
import type { SetHead } from '../../core/sets/readSet.ts';
import { countShared } from '../../core/sharing/sharedPictures.ts';
import { createShareLink, listShareLinks, revokeLink, type ShareLinkRow } from '../../core/sharing/shareLinks.ts';
import { sharePage } from '../../domain/addresses.ts';
import { notFound } from '../../domain/failure.ts';
import {
  inDays,
  SHARE_DAYS_DEFAULT,
  SHARE_DAYS_MAX,
  SHARE_LABEL_MAX,
  SHARE_PASSWORD_MAX,
  SHARE_PASSWORD_MIN,
  shareState,
} from '../../domain/shareLinks.ts';
import { isUuid } from '../../domain/slugs.ts';
import { cutCodePoints, storable } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, copyField, dialog } from '../parts/components.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { checkbox, EMPTY_FORM, radio, selectField, textField } from '../parts/formFields.ts';
import { formField, hiddenFields } from '../parts/forms.ts';
import { timeElement } from '../parts/labels.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import type { SetFacts } from '../pictures/pictures.ts';
import { goBack, idOf, type PageRoutes, redirectTo } from '../routes/pageRoutes.ts';

const LINKS_SHOWN = 100;
const DAYS = [7, SHARE_DAYS_DEFAULT, 90, 365];
const STATES = { active: 'Valid', expired: 'Expired', revoked: 'Revoked' } as const;

interface PanelOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** The id of a link that was just created. */
  readonly created?: string;
}

/** The links of a set that its page lists, and how many there are. */
export const readShares = ({ store }: PagesOptions, { id, organization_id: organizationId }: SetHead) =>
  listShareLinks(store.db, { organizationId, setId: id }, { page: 1, perPage: LINKS_SHOWN });

/** The box that creates a link. */
export function shareDialog(
  facts: SetFacts,
  { viewer, paths, approved }: Pick<PanelOptions, 'viewer' | 'paths'> & { readonly approved: number },
): Html {
  const path = paths.set(facts.set.id);
  const body = html`<p class="hint">Anyone with the link sees the pictures with site, device, ad and date, but nothing else of the set.</p>
<form class="stack" method="post" action="${path}/shares" data-share>${hiddenFields(viewer, addressOf(path, { tab: 'shared' }))}
  ${textField({ name: 'label', id: 'share-label', label: 'For whom', max: SHARE_LABEL_MAX, placeholder: 'Seen by you only' }, EMPTY_FORM)}
  ${selectField({ name: 'days', id: 'share-days', label: 'Valid for', value: String(SHARE_DAYS_DEFAULT), choices: DAYS.map((days) => [String(days), `${days} days`]) }, EMPTY_FORM)}
  <fieldset><legend>Pictures</legend>
  ${radio({ name: 'pictures', value: 'approved', isChecked: true, label: html`Approved only${hint(facts, approved)}` })}
  ${radio({ name: 'pictures', value: 'all', isChecked: false, label: 'All except rejected ones' })}</fieldset>
  <fieldset><legend>The client may</legend>
  ${checkbox({ name: 'answers', isChecked: true, label: 'Approve, request changes and comment' })}
  ${checkbox({ name: 'downloads', isChecked: false, label: 'Download PowerPoint, PDF or ZIP' })}</fieldset>
  ${textField({ name: 'password', id: 'share-password', label: html`Password <span class="meta">(optional, at least ${SHARE_PASSWORD_MIN} characters)</span>`, max: SHARE_PASSWORD_MAX, more: html` minlength="${SHARE_PASSWORD_MIN}" autocapitalize="none"` }, EMPTY_FORM)}
  ${button({ label: 'Create the link', icon: 'share-2', kind: 'primary' })}
</form>`;
  return dialog('share', 'Share', body);
}

/** @returns how many pictures a link with the approved ones shows. */
export function countApproved({ store }: PagesOptions, { id }: SetHead): Promise<number> {
  return countShared(store.db, { set_id: id, pictures: 'approved' });
}

/** What "approved only" means while the review is open: the client would miss pictures. */
function hint({ views }: SetFacts, approved: number): Html {
  const pictures = views.filter(({ image_token }) => image_token !== null).length;
  const text = `${approved} of ${pictures} pictures ${approved === 1 ? 'is' : 'are'} approved; the client sees ${approved === 1 ? 'that one' : 'those'}. Others appear as you approve them.`;
  return html`<span id="share-hint" class="meta" data-live>${approved < pictures && html`<br>${text}`}</span>`;
}

/** The links of a set. */
export function shareList(options: PagesOptions, rows: readonly ShareLinkRow[], given: PanelOptions): Html {
  if (rows.length === 0) return html`<p class="hint">No links yet.</p>`;
  return html`<ul class="shares">${rows.map((row) => item(options, row, given))}</ul>`;
}

function item({ secret, publicUrl }: PagesOptions, row: ShareLinkRow, { viewer, paths, created }: PanelOptions): Html {
  const state = shareState(row, new Date());
  const address = sharePage(publicUrl, shareToken(secret, row.id));
  const name = row.label === '' ? 'Link' : row.label;
  const path = paths.set(row.set_id);
  const isNew = row.id === created;
  return html`<li class="panel"${isNew && html` data-copy-now`}>
  <p class="bar"><strong><bdi>${name}</bdi></strong> <span class="badge ${state}">${STATES[state]}</span>${row.answered > 0 && html` <a href="${addressOf(path, { tab: 'activity' })}">${row.answered === 1 ? '1 answer' : `${row.answered} answers`}</a>`}</p>
  <p>${allowed(row)}</p>
  ${
    state === 'active' &&
    html`<div class="bar">${copyField(`Address of ${name}`, address)}
  <form method="post" action="${path}/shares/${row.id}/revoke">${hiddenFields(viewer, addressOf(path, { tab: 'shared' }))}<button class="danger">Revoke</button></form></div>`
  }
  <p class="meta">${when(row)}</p>
</li>`;
}

/** For example "Approved pictures · answers · downloads · password". */
function allowed({ pictures, answers, downloads, password_hash }: ShareLinkRow): string {
  return [
    pictures === 'approved' ? 'Approved pictures' : 'All pictures except rejected ones',
    answers && 'answers',
    downloads && 'downloads',
    password_hash !== null && 'password',
  ]
    .filter(Boolean)
    .join(' · ');
}

function when({ created_at, expires_at, revoked_at, last_used_at, creator, user_name }: ShareLinkRow): HtmlContent {
  const end =
    revoked_at === null ? html`valid until ${timeElement(expires_at)}` : html`revoked ${timeElement(revoked_at)}`;
  const use = last_used_at === null ? 'never opened' : html`last opened ${timeElement(last_used_at)}`;
  const by = user_name ?? creator;
  return html`Created ${timeElement(created_at)}${by && html` by <bdi>${by}</bdi>`}, ${end}, ${use}`;
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
      answers: field('answers') !== '',
      password: readOrFail(NewShare.pick({ password: true }), { password: field('password') || null }).password ?? null,
      pictures: field('pictures') === 'all' ? ('all' as const) : ('approved' as const),
      label: cutCodePoints(storable(field('label')).trim(), SHARE_LABEL_MAX),
    };
    const { id } = await db.transaction().execute((tx) => createShareLink(tx, link, given.actor));
    return redirectTo(given, addressOf(given.paths.set(link.setId), { tab: 'shared', created: id }));
  });
  pages.post(`${path}/:share/revoke`, async (given) => {
    const id = String(given.request.params['share']).toLowerCase();
    if (!isUuid(id)) throw notFound('share_id', 'There is no such share link.');
    const link = { organizationId: given.viewer.organizationId, setId: idOf(given.request), id };
    await db.transaction().execute((tx) => revokeLink(tx, link, given.actor));
    return goBack(given);
  });
}
