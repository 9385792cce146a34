/** One webhook endpoint: its state, its last deliveries, and what an administrator can do with it. */

import { secretState } from '../../core/organizations/secrets.ts';
import { type DeliveryRow, listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import { type EndpointRow, findEndpoint } from '../../core/webhooks/webhookEndpointQueries.ts';
import { DEFAULT_TOPICS } from '../../domain/topics.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import { deliveryLabel, timeElement } from '../labels.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { EMPTY_FORM, type FormState } from './adminHandlers.ts';
import { endpointState } from './endpointsPage.ts';
import { checkbox, otherFaults } from './fields.ts';
import { settingsPage } from './settingsPage.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

interface EndpointPageOptions {
  readonly form?: FormState;
  readonly status?: number;
  /** A secret that was just made. */
  readonly secret?: string;
}

const DELIVERIES_SHOWN = 10;

/** @param id a UUID. @returns undefined if the organization has no such endpoint. */
export async function endpointPage(
  { store }: PagesOptions,
  id: string,
  { viewer, paths, form = EMPTY_FORM, status, secret }: Given & EndpointPageOptions,
): Promise<ResultsPage | undefined> {
  const { organizationId } = viewer;
  const row = await findEndpoint(store.db, { organizationId, id });
  if (row === undefined) return undefined;
  const page = { page: 1, perPage: DELIVERIES_SHOWN };
  const { rows } = await listDeliveries(store.db, { organizationId, endpointId: id }, page);
  const body = html`${secret !== undefined && newSecret(secret)}
<section class="panel wide"><h2><bdi>${row.url}</bdi></h2>
${otherFaults(form.errors, [])}
${row.disabled_reason !== null && html`<p class="note warnings"><strong>The service disabled this endpoint.</strong> ${row.disabled_reason}</p>`}
${facts(row)}
<p class="do">${actions(row, { viewer, paths })}</p></section>
${rotateForm(row, { viewer, paths })}
<section class="panel wide"><h2>Last deliveries</h2>${deliveries(rows, { viewer, paths })}</section>
<p><a href="${paths.settings('endpoints')}">All endpoints</a></p>`;
  return settingsPage({ paths, current: 'endpoints', body, ...(status !== undefined && { status }) });
}

function newSecret(secret: string): Html {
  return html`<section class="panel secret" role="status"><h2>The secret of this endpoint</h2>
<p>Copy it now, and give it to the receiver. No page can show it again.</p>
<input readonly value="${secret}" aria-label="The new secret"></section>`;
}

function facts(row: EndpointRow): Html {
  const { createdAt, previousUntil } = secretState({
    createdAt: row.created_at,
    rotatedAt: row.secret_rotated_at,
    hasPrevious: row.previous_secret !== null,
  });
  return html`<dl class="facts"><dt>Status</dt><dd>${endpointState(row)}</dd>
${row.description !== '' && html`<dt>Description</dt><dd><bdi>${row.description}</bdi></dd>`}
<dt>Topics</dt><dd>${(row.topics ?? DEFAULT_TOPICS).join(', ')}</dd>
${row.header_names.length > 0 && html`<dt>Headers</dt><dd>${row.header_names.join(', ')}</dd>`}
<dt>Secret</dt><dd>made ${timeElement(createdAt)}${previousUntil !== null && html`; the old one also signs until ${timeElement(previousUntil)}`}</dd></dl>`;
}

function actions(row: EndpointRow, given: Given): HtmlContent {
  if (row.disabled_at !== null) return button(row, 'enable', { ...given, label: 'Enable' });
  return html`${button(row, 'test', { ...given, label: 'Send a test event' })} ${button(row, 'disable', { ...given, label: 'Disable' })}`;
}

function button(row: EndpointRow, action: string, { viewer, paths, label }: Given & { label: string }): Html {
  const path = `${paths.settings('endpoints')}/${row.id}`;
  return html`<form class="inline" method="post" action="${path}/${action}">${hiddenFields(viewer, path)}<button>${label}</button></form>`;
}

function rotateForm(row: EndpointRow, { viewer, paths }: Given): Html {
  const path = `${paths.settings('endpoints')}/${row.id}`;
  return html`<section class="panel"><h2>Replace the secret</h2>
<p>For 24 hours, webhooks are signed with the new and the old secret.</p>
<form class="stack" method="post" action="${path}/rotate">${hiddenFields(viewer, path)}
${checkbox({ name: 'leaked', label: 'The secret leaked: stop signing with it now', isChecked: false })}
<p class="do"><button class="danger">Replace the secret</button></p></form></section>`;
}

function deliveries(rows: readonly DeliveryRow[], { paths }: Given): Html {
  if (rows.length === 0) return html`<p>None yet.</p>`;
  const item = (row: DeliveryRow) => html`<tr>
  <td class="name"><a href="${paths.delivery(row.id)}">${row.topic}</a></td>
  <td>${deliveryLabel(row)}</td><td>${timeElement(row.created_at)}</td></tr>`;
  return html`<table class="rows"><thead><tr><th>Event</th><th>Status</th><th>Created</th></tr></thead><tbody>${rows.map(item)}</tbody></table>`;
}
