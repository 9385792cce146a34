/** The API keys of the organization: create, list, revoke. */

import { COST } from '../../api/limits/costs.ts';
import { NewApiKey } from '../../contract/settings.ts';
import { findKeyRow, type KeyRow, listKeyRows } from '../../core/organizations/keyList.ts';
import { createApiKey, revokeApiKey } from '../../core/organizations/keys.ts';
import { conflict } from '../../domain/failure.ts';
import { keyState, SCOPES, type Scope } from '../../domain/keys.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, type Column, panel, table } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { checkbox, EMPTY_FORM, type FormState } from '../parts/formFields.ts';
import { formField } from '../parts/forms.ts';
import { formTable, readForm, renderForm } from '../parts/formTable.ts';
import { timeElement } from '../parts/labels.ts';
import { numberedPages } from '../parts/pictureParts.ts';
import { type PageRoutes, pageOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { addAction, addAskedAction, framedPage, secretPanel } from '../routes/settingsFrame.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

const PER_PAGE = 100;
const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  read: 'Can see everything. Required to sign in.',
  write: 'Can request, review and share pictures.',
  admin: 'Can change keys, settings, webhooks and connectors, and read the audit log.',
};
const STATES = { active: 'Active', expired: 'Expired', revoked: 'Revoked' } as const;

const KEY = formTable(NewApiKey, {
  name: { label: 'Name', hint: 'The program or person that will use it.' },
  scopes: {
    kind: 'checkboxes',
    label: 'Scopes',
    prefix: 'scope_',
    choices: SCOPES.map((scope) => [scope, html`<strong>${scope}</strong>: ${SCOPE_TEXTS[scope]}`] as const),
    value: ['read'],
  },
  expires_at: {
    kind: 'date',
    label: 'Expires',
    hint: 'At the start of this day (UTC). Leave empty for a key that never expires.',
  },
});

interface KeysPageOptions {
  readonly page?: number;
  readonly form?: FormState;
  /** A key that was just created. */
  readonly created?: { readonly name: string; readonly key: string };
}

export function addKeyRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/settings/keys';
  const idOfKey = ({ request }: ViewerRequest) => String(request.params['key']);
  pages.get(path, (given) => keysPage(options, given, { page: pageOf(given.request) }), {
    scope: 'admin',
    cost: COST.list,
  });
  addAction(
    pages,
    { page: 'keys', path },
    {
      read: ({ request }) => readForm(KEY, request),
      act: (tx, { viewer: { organizationId }, actor }, { name, scopes, expires_at }) =>
        createApiKey(tx, { organizationId, name, scopes, expiresAt: expires_at ?? undefined }, actor),
      answer: (given, { row, key }) => keysPage(options, given, { created: { name: row.name, key } }),
      again: (given, form) => keysPage(options, given, { form }),
    },
  );
  addAskedAction(
    pages,
    { page: 'keys', path: `${path}/:key/revoke` },
    {
      ask: (given) => revocation(options, given, idOfKey(given)),
      read: ({ request, viewer }) => {
        if (request.params['key'] !== viewer.keyId || formField(request, 'own') !== '') return;
        throw conflict(
          'own',
          'Confirm that you have another key before you revoke the one that you are signed in with.',
        );
      },
      act: (tx, given) =>
        revokeApiKey(tx, { organizationId: given.viewer.organizationId, id: idOfKey(given) }, given.actor),
      notice: 'key_revoked',
    },
  );
}

async function keysPage(
  { store }: PagesOptions,
  given: Given,
  { page = 1, form = EMPTY_FORM, created }: KeysPageOptions = {},
): Promise<ResultsPage> {
  const { viewer, paths } = given;
  const { rows, total } = await listKeyRows(
    store.db,
    { organizationId: viewer.organizationId },
    { page, perPage: PER_PAGE },
  );
  const pages = Math.ceil(total / PER_PAGE);
  const create = renderForm(KEY, { viewer, page: paths.settings('keys'), form, submit: 'Create key' });
  const body = html`${created && createdPanel(created)}
<p class="meta">Programs send a key with each request. People can sign in with one too.</p>
${table({ columns: columns(given), rows })}
${numberedPages({ page, pages, addressOf: (to) => `${paths.settings('keys')}?page=${to}` })}
${panel('Create a key', create, { id: 'create' })}`;
  return framedPage(given, 'keys', { body, status: form.status });
}

function createdPanel({ name, key }: NonNullable<KeysPageOptions['created']>): Html {
  const text = 'Copy it now. The service stores only a hash of it, so it cannot be shown again.';
  return secretPanel(html`The key “<bdi>${name}</bdi>” was created`, text, { value: key, label: 'The new key' });
}

const by = ({ user_name, creator, created_by }: KeyRow) => user_name ?? (creator || created_by);

function columns({ viewer, paths }: Given): Column<KeyRow>[] {
  const now = new Date();
  return [
    {
      label: 'Name',
      kind: 'main',
      cell: ({ id, name }) =>
        html`<strong><bdi>${name === '' ? 'Without a name' : name}</bdi></strong>
<span class="meta"><code>ts_live_${id}_…</code>${id === viewer.keyId && ', you are signed in with it'}</span>`,
    },
    { label: 'Scopes', cell: (row) => SCOPES.filter((scope) => row.scopes.includes(scope)).join(', ') },
    { label: 'Status', cell: (row) => html`${badge(keyState(row, now), STATES[keyState(row, now)])}${end(row)}` },
    {
      label: 'Created',
      cell: (row) =>
        html`${timeElement(row.created_at)}${by(row) !== null && html` <span class="meta">by <bdi>${by(row)}</bdi></span>`}`,
    },
    { label: 'Last use', cell: (row) => (row.last_used_at === null ? 'never' : timeElement(row.last_used_at)) },
    {
      label: 'Action',
      kind: 'action',
      cell: (row) =>
        keyState(row, now) === 'active' &&
        html`<a href="${paths.settings('keys')}/${row.id}/revoke">Revoke<span class="hidden"> ${row.name}</span></a>`,
    },
  ];
}

function end({ expires_at, revoked_at }: KeyRow): HtmlContent {
  if (revoked_at !== null) return html` <span class="meta">${timeElement(revoked_at)}</span>`;
  return (
    expires_at !== null &&
    html` <span class="meta">${expires_at > new Date() && 'until '}${timeElement(expires_at)}</span>`
  );
}

/** Asks before a key is revoked. @returns undefined if the organization has no such key. */
async function revocation({ store }: PagesOptions, { viewer }: Given, id: string) {
  const row = await findKeyRow(store.db, { organizationId: viewer.organizationId, id });
  if (row === undefined) return undefined;
  const isOwn = id === viewer.keyId;
  return {
    question: html`Revoke the key “<bdi>${row.name === '' ? row.id : row.name}</bdi>”?`,
    text: html`<p>Programs that use it will get 401 from now on, and people who signed in with it are signed out.
This cannot be undone.</p>
<p class="meta">Last use: ${row.last_used_at === null ? 'never' : timeElement(row.last_used_at)}</p>
${
  isOwn &&
  html`<p class="note warnings"><strong>You are signed in with this key.</strong>
You will be signed out, and need another key to return.</p>`
}`,
    fields: isOwn && checkbox({ name: 'own', label: 'I have another key with the scope admin', isChecked: false }),
    button: 'Revoke the key',
  };
}
