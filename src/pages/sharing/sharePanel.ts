/** The part of the page of a set or a campaign that creates, lists and revokes its share links, and its routes. */
import { shareToken } from '../../api/auth/shareTokens.ts';
import { NewShare, ShareChange } from '../../contract/sharing.ts';
import { kindOf, type Owner, ownerOf } from '../../core/sets/shownVersions.ts';
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
import { actionForm, hiddenFields, type Notice } from '../parts/forms.ts';
import { formTable, readForm, renderFields } from '../parts/formTable.ts';
import { timeElement } from '../parts/labels.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { pickedFields, pickedIds } from '../pictures/pictures.ts';
import { linksAddress, OWNER_PAGES, ownerPath } from '../routes/ownerPages.ts';
import { type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';

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
  pictures: { kind: 'radios', label: 'Pictures', value: 'approved' },
  may: {
    kind: 'group',
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

/** The links of a set or a campaign that its page lists, and how many there are. */
export const readShares = ({ store }: PagesOptions, owner: Owner & { readonly organizationId: string }) =>
  listShareLinks(store.db, owner, { page: 1, perPage: LINKS_SHOWN });

interface ShareOptions extends Pick<PanelOptions, 'viewer' | 'paths'> {
  readonly owner: Owner;
  /** How many pictures there are, and how many of them a link with the approved ones shows. */
  readonly pictures: number;
  readonly approved: number;
  /** The selected screenshots; all unless given. */
  readonly picked?: readonly string[];
}

/** The box that creates a link. */
export const shareDialog = (options: ShareOptions): Html => dialog('share', 'Share', shareForm(options));

export function shareForm(options: ShareOptions): Html {
  const { owner, viewer, paths, picked } = options;
  const choices: Choice[] = [
    ['approved', html`Approved only${hint(options)}`],
    ['all', 'All except rejected ones'],
  ];
  return html`<p class="hint">Anyone with the link sees the pictures with site, device, ad and date,
but nothing else of the ${kindOf(owner)}${owner.campaignId && '. Pictures of later sets appear too'}.</p>
<form class="stack" method="post" action="${ownerPath(paths, owner)}/shares" data-share>${hiddenFields(viewer, linksAddress(paths, owner))}${pickedFields(picked)}
${renderFields(SHARE, { known: { pictures: { choices, value: picked ? 'all' : 'approved' } } })}
${button({ label: 'Create the link', icon: 'share-2', kind: 'primary' })}
</form>`;
}

/** What "approved only" means while the review is open: the client would miss pictures. */
function hint({ pictures, approved }: ShareOptions): Html {
  const [are, those] = approved === 1 ? ['is', 'that one'] : ['are', 'those'];
  const seen = `${approved} of ${pictures} pictures ${are} approved; the client sees ${those}.`;
  const text = `${seen} Others appear as you approve them.`;
  return html`<span id="share-hint" class="meta" data-live>${approved < pictures && html`<br>${text}`}</span>`;
}

/** The links of a set or a campaign. */
export function shareList(options: PagesOptions, rows: readonly ShareLinkRow[], given: PanelOptions): Html {
  const none = html`<p class="hint">No links yet.</p>`;
  const list = html`<ul class="shares">${rows.map((row) => item(options, row, given))}</ul>`;
  return html`<div id="shares" data-live>${rows.length === 0 ? none : list}</div>`;
}

function item({ secret, publicUrl }: PagesOptions, row: ShareLinkRow, { viewer, paths, created }: PanelOptions): Html {
  const state = shareState(row, new Date());
  const address = sharePage(publicUrl, shareToken(secret, row.id));
  const name = row.label === '' ? 'Link' : row.label;
  const owner = ownerOf(row);
  const path = ownerPath(paths, owner);
  const isNew = row.id === created;
  const links = linksAddress(paths, owner);
  const answers = row.answered === 1 ? '1 answer' : `${row.answered} answers`;
  const answered = row.answered > 0 && html` <a href="${addressOf(path, { tab: 'activity' })}">${answers}</a>`;
  const use = html`<div class="bar">
    ${copyField(`Address of ${name}`, address)}
    ${actionForm({ viewer, next: links, action: `${path}/shares/${row.id}/revoke`, label: 'Revoke', kind: 'danger' })}
  </div>`;
  const fields = { days: { id: `days-${row.id}` }, password: { id: `password-${row.id}` } };
  const change = html`<details>
  <summary>Extend, or change the password</summary>
  <form class="stack" method="post" action="${path}/shares/${row.id}/change">${hiddenFields(viewer, links)}
${renderFields(CHANGE, { known: { ...fields, ...(row.password_hash === null && { no_password: null }) } })}
${button({ label: 'Change the link' })}</form>
</details>`;
  const restore = `${path}/shares/${row.id}/restore`;
  const undo = actionForm({ viewer, next: links, action: restore, label: 'Undo', icon: 'undo-2' });
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
  for (const { route, ownerOf: read } of OWNER_PAGES) {
    const path = `${route}/shares`;
    pages.post(path, async (given) => {
      const owner = read(given.request);
      const { label, expires_at, pictures, answers, downloads, password } = readForm(SHARE, given.request);
      const link = {
        organizationId: given.viewer.organizationId,
        ...owner,
        expiresAt: expires_at ?? inDays(new Date(), SHARE_DAYS_DEFAULT),
        downloads: downloads === true,
        answers: answers === true,
        password: password ?? null,
        pictures: pictures ?? 'approved',
        label: label ?? '',
        screenshotIds: pickedIds(given.request),
      };
      const { id } = await db.transaction().execute((tx) => createShareLink(tx, link, given.actor));
      return redirectTo(given, linksAddress(given.paths, owner, id));
    });
    const change = (
      action: string,
      act: (tx: Queryable, link: Parameters<typeof revokeLink>[1], given: ViewerRequest) => Promise<unknown>,
      notice: Notice,
    ) =>
      pages.post(`${path}/:share/${action}`, async (given) => {
        const id = String(given.request.params['share']).toLowerCase();
        if (!isUuid(id)) throw notFound('share_id', 'There is no such share link.');
        const owner = read(given.request);
        const link = { organizationId: given.viewer.organizationId, ...owner, id };
        await db.transaction().execute((tx) => act(tx, link, given));
        return redirectTo(given, linksAddress(given.paths, owner), notice);
      });
    change('revoke', (tx, link, { actor }) => revokeLink(tx, link, actor), 'link_revoked');
    change('restore', (tx, link, { actor }) => changeLink(tx, link, { revoked: false }, actor), 'saved');
    change('change', (tx, link, { actor, request }) => changeLink(tx, link, readForm(CHANGE, request), actor), 'saved');
  }
}
