/** The part of a set's page that creates, lists and revokes its share links, and its routes. */
import { shareToken } from '../../api/auth/shareTokens.ts';
import { NewShare, ShareChange } from '../../contract/sharing.ts';
import type { SetHead } from '../../core/sets/readSet.ts';
import { countShared } from '../../core/sharing/sharedPictures.ts';
import {
  changeLink,
  createShareLink,
  listShareLinks,
  revokeLink,
  type ShareLinkRow,
} from '../../core/sharing/shareLinks.ts';
import type { Queryable } from '../../db/database.ts';
import { sharePage } from '../../domain/addresses.ts';
import { notFound } from '../../domain/failure.ts';
import {
  canRestore,
  inDays,
  SHARE_DAYS_DEFAULT,
  SHARE_DAYS_MAX,
  SHARE_LABEL_MAX,
  SHARE_PASSWORD_MIN,
  shareState,
} from '../../domain/shareLinks.ts';
import { isUuid } from '../../domain/slugs.ts';
import { counted, cutCodePoints, storable } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, copyField, dialog } from '../parts/components.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import type { Choice } from '../parts/formFields.ts';
import { hiddenFields, type Notice } from '../parts/forms.ts';
import { formTable, readForm, renderFields } from '../parts/formTable.ts';
import { timeElement } from '../parts/labels.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { oncePerPicture } from '../pictures/grouping.ts';
import { pickedFields, pickedIds, type SetFacts } from '../pictures/pictures.ts';
import { idOf, type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';

const LINKS_SHOWN = 100;
const DAYS = [7, SHARE_DAYS_DEFAULT, 90, 365].map((days): Choice => [String(days), `${days} days`]);
const STATES = { active: 'Valid', expired: 'Expired', revoked: 'Revoked' } as const;

const VALIDITY = {
  kind: 'select',
  path: 'expires_at',
  read: (text: string) => {
    const days = Number(text);
    const isValid = Number.isInteger(days) && days >= 1 && days <= SHARE_DAYS_MAX;
    return isValid ? inDays(new Date(), days).toISOString() : null;
  },
} as const;

const SHARE = formTable(NewShare, {
  label: {
    id: 'share-label',
    label: 'For whom',
    placeholder: 'Seen by you only',
    read: (text) => cutCodePoints(storable(text).trim(), SHARE_LABEL_MAX),
  },
  days: {
    ...VALIDITY,
    id: 'share-days',
    label: 'Valid for',
    choices: DAYS,
    value: String(SHARE_DAYS_DEFAULT),
  },
  pictures: { kind: 'radios', isFieldset: true, label: 'Pictures', value: 'approved' },
  may: {
    kind: 'group',
    isFieldset: true,
    label: 'The client may',
    fields: {
      answers: { kind: 'checkbox', label: 'Approve, request changes and comment', value: true },
      downloads: { kind: 'checkbox', label: 'Download PowerPoint, PDF or ZIP' },
    },
  },
  password: {
    id: 'share-password',
    label: html`Password <span class="meta">(optional, at least ${SHARE_PASSWORD_MIN} characters)</span>`,
    more: html` autocapitalize="none"`,
    isSecret: true,
    keepsSpaces: true,
  },
});

const CHANGE = formTable(ShareChange, {
  days: { ...VALIDITY, label: 'Valid from now for', choices: [['', 'No change'], ...DAYS] },
  password: {
    label: html`New password <span class="meta">(empty: no change)</span>`,
    more: html` autocapitalize="none"`,
    ...{ isSecret: true, keepsSpaces: true },
    read: (text, typed) => (typed('no_password') === '' ? text || undefined : null),
  },
  no_password: { kind: 'checkbox', label: 'No password', read: () => undefined },
});

interface PanelOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** The id of a link that was just created. */
  readonly created?: string;
}

/** The links of a set that its page lists, and how many there are. */
export const readShares = ({ store }: PagesOptions, { id, organization_id: organizationId }: SetHead) =>
  listShareLinks(store.db, { organizationId, setId: id }, { page: 1, perPage: LINKS_SHOWN });

interface ShareOptions extends Pick<PanelOptions, 'viewer' | 'paths'> {
  /** How many pictures a link with the approved ones shows. */
  readonly approved: number;
  /** The selected screenshots; all unless given. */
  readonly picked?: readonly string[];
}

/** The box that creates a link. */
export const shareDialog = (facts: SetFacts, options: ShareOptions): Html =>
  dialog('share', 'Share', shareForm(facts, options));

export function shareForm(facts: SetFacts, { viewer, paths, approved, picked }: ShareOptions): Html {
  const path = paths.set(facts.set.id);
  const choices: Choice[] = [
    ['approved', html`Approved only${hint(facts, approved)}`],
    ['all', 'All except rejected ones'],
  ];
  return html`<p class="hint">Anyone with the link sees the pictures with site, device, ad and date,
but nothing else of the set.</p>
<form class="stack" method="post" action="${path}/shares" data-share>${hiddenFields(viewer, addressOf(path, { tab: 'shared' }))}${pickedFields(picked)}
${renderFields(SHARE, { known: { pictures: { choices, value: picked ? 'all' : 'approved' } } })}
${button({ label: 'Create the link', icon: 'share-2', kind: 'primary' })}
</form>`;
}

/** @returns how many pictures a link with the approved ones shows. */
export function countApproved({ store }: PagesOptions, { id }: SetHead, picked?: readonly string[]): Promise<number> {
  return countShared(store.db, { set_id: id, pictures: 'approved', screenshot_ids: picked?.slice() ?? null });
}

/** What "approved only" means while the review is open: the client would miss pictures. */
function hint({ views }: SetFacts, approved: number): Html {
  const pictures = oncePerPicture(views).filter(({ image_token }) => image_token !== null).length;
  const [are, those] = approved === 1 ? ['is', 'that one'] : ['are', 'those'];
  const seen = `${approved} of ${pictures} pictures ${are} approved; the client sees ${those}.`;
  const text = `${seen} Others appear as you approve them.`;
  return html`<span id="share-hint" class="meta" data-live>${approved < pictures && html`<br>${text}`}</span>`;
}

/** The links of a set. */
export function shareList(options: PagesOptions, rows: readonly ShareLinkRow[], given: PanelOptions): Html {
  const none = html`<p class="hint">No links yet.</p>`;
  const list = html`<ul class="shares">${rows.map((row) => item(options, row, given))}</ul>`;
  return html`<div id="shares" data-live>${rows.length === 0 ? none : list}</div>`;
}

function item({ secret, publicUrl }: PagesOptions, row: ShareLinkRow, { viewer, paths, created }: PanelOptions): Html {
  const state = shareState(row, new Date());
  const address = sharePage(publicUrl, shareToken(secret, row.id));
  const name = row.label === '' ? 'Link' : row.label;
  const path = paths.set(row.set_id);
  const isNew = row.id === created;
  const ofSet = addressOf(path, { tab: 'shared' });
  const answers = row.answered === 1 ? '1 answer' : `${row.answered} answers`;
  const answered = row.answered > 0 && html` <a href="${addressOf(path, { tab: 'activity' })}">${answers}</a>`;
  const use = html`<div class="bar">
    ${copyField(`Address of ${name}`, address)}
    <form method="post" action="${path}/shares/${row.id}/revoke">
      ${hiddenFields(viewer, ofSet)}<button class="danger">Revoke</button>
    </form>
  </div>`;
  const fields = { days: { id: `days-${row.id}` }, password: { id: `password-${row.id}` } };
  const change = html`<details>
  <summary>Extend, or change the password</summary>
  <form class="stack" method="post" action="${path}/shares/${row.id}/change">${hiddenFields(viewer, ofSet)}
${renderFields(CHANGE, { known: { ...fields, ...(row.password_hash === null && { no_password: null }) } })}
${button({ label: 'Change the link' })}</form>
</details>`;
  const undo = html`<form method="post" action="${path}/shares/${row.id}/restore">
  ${hiddenFields(viewer, ofSet)}${button({ label: 'Undo', icon: 'undo-2' })}
</form>`;
  return html`<li class="panel" id="share-${row.id}"${isNew && html` data-copy-now`}>
  <p class="bar"><strong><bdi>${name}</bdi></strong> <span class="badge ${state}">${STATES[state]}</span>${answered}</p>
  <p>${allowed(row)}</p>
  ${state === 'active' && use}
  ${state === 'revoked' ? canRestore(row.revoked_at) && undo : change}
  <p class="meta">${when(row)}</p>
</li>`;
}

/** For example "Approved pictures · answers · downloads · password". */
function allowed({ pictures, screenshot_ids, answers, downloads, password_hash }: ShareLinkRow): string {
  return [
    screenshot_ids !== null && `${counted(screenshot_ids.length, 'chosen picture')}`,
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
    const { label, expires_at, pictures, answers, downloads, password } = readForm(SHARE, given.request);
    const link = {
      organizationId: given.viewer.organizationId,
      setId: idOf(given.request),
      expiresAt: expires_at ?? inDays(new Date(), SHARE_DAYS_DEFAULT),
      downloads: downloads === true,
      answers: answers === true,
      password: password ?? null,
      pictures: pictures ?? 'approved',
      label: label ?? '',
      screenshotIds: pickedIds(given.request),
    };
    const { id } = await db.transaction().execute((tx) => createShareLink(tx, link, given.actor));
    return redirectTo(given, addressOf(given.paths.set(link.setId), { tab: 'shared', created: id }));
  });
  const change = (
    action: string,
    act: (tx: Queryable, link: Parameters<typeof revokeLink>[1], given: ViewerRequest) => Promise<unknown>,
    notice: Notice,
  ) =>
    pages.post(`${path}/:share/${action}`, async (given) => {
      const id = String(given.request.params['share']).toLowerCase();
      if (!isUuid(id)) throw notFound('share_id', 'There is no such share link.');
      const link = { organizationId: given.viewer.organizationId, setId: idOf(given.request), id };
      await db.transaction().execute((tx) => act(tx, link, given));
      return redirectTo(given, addressOf(given.paths.set(link.setId), { tab: 'shared' }), notice);
    });
  change('revoke', (tx, link, { actor }) => revokeLink(tx, link, actor), 'link_revoked');
  change('restore', (tx, link, { actor }) => changeLink(tx, link, { revoked: false }, actor), 'saved');
  change('change', (tx, link, { actor, request }) => changeLink(tx, link, readForm(CHANGE, request), actor), 'saved');
}
