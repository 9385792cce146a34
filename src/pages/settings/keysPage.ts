/** The API keys of the organization: create, list, revoke. */

import { findKeyRow, type KeyRow, listKeyRows } from '../../core/organizations/keyList.ts';
import { KEY_NAME_MAX, keyState, SCOPES, type Scope } from '../../domain/keys.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import { timeElement } from '../labels.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { EMPTY_FORM, type FormState } from './adminHandlers.ts';
import { checkbox, faultOf, otherFaults, textField } from './fields.ts';
import { settingsPage } from './settingsPage.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

const PER_PAGE = 100;
const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  read: 'Sees everything. A person needs it to sign in.',
  write: 'Requests pictures, reviews and shares them.',
  admin: 'Changes keys, settings, webhooks and connectors, and reads the audit log.',
};
const STATES = { active: 'Active', expired: 'Expired', revoked: 'Revoked' } as const;

interface KeysPageOptions {
  readonly page?: number;
  readonly form?: FormState;
  readonly status?: number;
  /** A key that was just created. */
  readonly created?: { readonly name: string; readonly key: string };
}

export async function keysPage(
  { store }: PagesOptions,
  given: Given,
  { page = 1, form = EMPTY_FORM, status, created }: KeysPageOptions = {},
): Promise<ResultsPage> {
  const { viewer, paths } = given;
  const { rows, total } = await listKeyRows(
    store.db,
    { organizationId: viewer.organizationId },
    { page, perPage: PER_PAGE },
  );
  const pages = Math.ceil(total / PER_PAGE);
  const link = (to: number, text: string) => html`<a href="${paths.settings('keys')}?page=${to}">${text}</a>`;
  const body = html`${created && newKey(created)}
<section class="panel wide"><h2>Keys</h2>
<p>Programs send a key with each request. People sign in with one.</p>
<table class="rows"><thead><tr><th>Name</th><th>Scopes</th><th>Status</th><th>Created</th><th>Last use</th><th><span class="hidden">Action</span></th></tr></thead>
<tbody>${rows.map((row) => item(row, given))}</tbody></table>
${pages > 1 && html`<nav class="pages" aria-label="Pages">${page > 1 && link(page - 1, 'Previous')} <span>Page ${page} of ${pages}</span> ${page < pages && link(page + 1, 'Next')}</nav>`}
</section>
${createForm(given, form)}`;
  return settingsPage({ paths, current: 'keys', body, ...(status !== undefined && { status }) });
}

function newKey({ name, key }: { name: string; key: string }): Html {
  return html`<section class="panel secret" role="status"><h2>The key “<bdi>${name}</bdi>” was created</h2>
<p>Copy it now. The service stores only a hash of it, so no page can show it again.</p>
<input readonly value="${key}" aria-label="The new key"></section>`;
}

function item(row: KeyRow, { viewer, paths }: Given): Html {
  const state = keyState(row, new Date());
  return html`<tr>
  <td class="name"><strong><bdi>${row.name === '' ? 'Without a name' : row.name}</bdi></strong> <span class="meta"><code>ts_live_${row.id}_…</code>${row.id === viewer.keyId && ', you are signed in with it'}</span></td>
  <td>${SCOPES.filter((scope) => row.scopes.includes(scope)).join(', ')}</td>
  <td><span class="state ${state}">${STATES[state]}</span>${end(row)}</td>
  <td><span class="narrow">Created </span>${timeElement(row.created_at)}${row.created_by !== null && html` <span class="meta">by <bdi>${row.creator || row.created_by}</bdi></span>`}</td>
  <td><span class="narrow">Last use: </span>${row.last_used_at === null ? 'never' : timeElement(row.last_used_at)}</td>
  <td>${state === 'active' && html`<a href="${revokePath(row.id, paths)}">Revoke<span class="hidden"> ${row.name}</span></a>`}</td>
</tr>`;
}

function end({ expires_at, revoked_at }: KeyRow): HtmlContent {
  if (revoked_at !== null) return html` <span class="meta">${timeElement(revoked_at)}</span>`;
  return (
    expires_at !== null &&
    html` <span class="meta">${expires_at > new Date() && 'until '}${timeElement(expires_at)}</span>`
  );
}

function createForm({ viewer, paths }: Given, form: FormState): Html {
  const path = paths.settings('keys');
  const isTyped = Object.keys(form.values).length > 0;
  const isChecked = (scope: Scope) => (isTyped ? form.values[`scope_${scope}`] !== undefined : scope === 'read');
  const scope = (name: Scope) =>
    checkbox({
      name: `scope_${name}`,
      label: html`<strong>${name}</strong>: ${SCOPE_TEXTS[name]}`,
      isChecked: isChecked(name),
    });
  return html`<section class="panel" id="create"><h2>Create a key</h2>
${otherFaults(form.errors, ['name', 'scopes', 'expires_at'])}
<form class="fields" method="post" action="${path}">${hiddenFields(viewer, path)}
${textField({ name: 'name', label: 'Name', hint: 'The program or person that will use it.', isRequired: true, max: KEY_NAME_MAX }, form)}
<span class="label" id="scopes-label">Scopes</span><div role="group" aria-labelledby="scopes-label">${SCOPES.map(scope)}${faultOf('scopes', 'Scopes', form.errors)}</div>
${textField({ name: 'expires_at', label: 'Expires', type: 'date', hint: 'At the start of this day (UTC). Never, if it is empty.' }, form)}
<button class="primary">Create key</button></form></section>`;
}

/** Asks before a key is revoked. @returns undefined if the organization has no such key. */
export async function revokePage(
  { store }: PagesOptions,
  id: string,
  { viewer, paths, errors = {} }: Given & { readonly errors?: FormState['errors'] },
): Promise<ResultsPage | undefined> {
  const row = await findKeyRow(store.db, { organizationId: viewer.organizationId, id });
  if (row === undefined) return undefined;
  const isOwn = id === viewer.keyId;
  const path = revokePath(id, paths);
  const body = html`<section class="panel"><h2>Revoke the key “<bdi>${row.name === '' ? row.id : row.name}</bdi>”?</h2>
${otherFaults(errors, [])}
<p>Programs that use it get 401 from now on, and people who signed in with it are signed out. This cannot be undone.</p>
<p class="meta">Last use: ${row.last_used_at === null ? 'never' : timeElement(row.last_used_at)}</p>
${isOwn && html`<p class="note warnings"><strong>You are signed in with this key.</strong> You will be signed out, and need another key to return.</p>`}
<form class="stack" method="post" action="${path}">${hiddenFields(viewer, paths.settings('keys'))}
${isOwn && checkbox({ name: 'own', label: 'I have another key with the scope admin', isChecked: false })}
<p class="do"><button class="danger">Revoke the key</button> <a href="${paths.settings('keys')}">Keep it</a></p></form></section>`;
  const status = Object.keys(errors).length > 0 ? 409 : undefined;
  return settingsPage({ paths, current: 'keys', body, ...(status !== undefined && { status }) });
}

const revokePath = (id: string, paths: Given['paths']) => `${paths.settings('keys')}/${id}/revoke`;
