/** The webhook endpoints of the organization: list and create. */

import { type EndpointRow, listEndpoints } from '../../core/webhooks/webhookEndpointQueries.ts';
import { DEFAULT_TOPICS, ENDPOINT_TOPICS } from '../../domain/topics.ts';
import { ENDPOINT_DESCRIPTION_MAX, ENDPOINTS_MAX } from '../../domain/webhookEndpoints.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, html } from '../html.ts';
import { timeElement } from '../labels.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { EMPTY_FORM, type FormState } from './adminHandlers.ts';
import { checkbox, faultOf, otherFaults, textField } from './fields.ts';
import { settingsPage } from './settingsPage.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

export async function endpointsPage(
  { store }: PagesOptions,
  given: Given,
  { form = EMPTY_FORM, status }: { readonly form?: FormState; readonly status?: number } = {},
): Promise<ResultsPage> {
  const { viewer, paths } = given;
  const page = { page: 1, perPage: ENDPOINTS_MAX };
  const { rows } = await listEndpoints(store.db, { organizationId: viewer.organizationId }, page);
  const body = html`<section class="panel wide"><h2>Webhook endpoints</h2>
<p>Each gets the events of all sets and ads of the organization, beside the subscribers that requests name.</p>
${rows.length === 0 ? html`<p>There is none yet. Create one below.</p>` : table(rows, given)}</section>
${createForm(given, form)}`;
  return settingsPage({ paths, current: 'endpoints', body, ...(status !== undefined && { status }) });
}

function table(rows: readonly EndpointRow[], given: Given): Html {
  return html`<table class="rows"><thead><tr><th>Address</th><th>Topics</th><th>Status</th></tr></thead>
<tbody>${rows.map((row) => item(row, given))}</tbody></table>`;
}

function item(row: EndpointRow, { paths }: Given): Html {
  return html`<tr>
  <td class="name"><a href="${paths.settings('endpoints')}/${row.id}"><bdi>${row.url}</bdi></a> <span class="meta"><bdi>${row.description}</bdi></span></td>
  <td>${(row.topics ?? DEFAULT_TOPICS).join(', ')}</td>
  <td>${endpointState(row)}</td>
</tr>`;
}

/** In words: enabled, failing or disabled, and since when. */
export function endpointState({ disabled_at, disabled_reason, failing_since }: EndpointRow): Html {
  if (disabled_at !== null)
    return html`Disabled${disabled_reason !== null && ' by the service'} <span class="meta">since ${timeElement(disabled_at)}</span>`;
  return failing_since === null
    ? html`Enabled`
    : html`Enabled <span class="meta">failing since ${timeElement(failing_since)}</span>`;
}

function createForm({ viewer, paths }: Given, form: FormState): Html {
  const path = paths.settings('endpoints');
  const isTyped = Object.keys(form.values).length > 0;
  const topic = (name: (typeof ENDPOINT_TOPICS)[number]) =>
    checkbox({
      name: `topic_${name}`,
      label: name,
      isChecked: isTyped ? form.values[`topic_${name}`] !== undefined : DEFAULT_TOPICS.some((one) => one === name),
    });
  return html`<section class="panel" id="create"><h2>Create an endpoint</h2>
${otherFaults(form.errors, ['url', 'description', 'topics'])}
<form class="fields" method="post" action="${path}">${hiddenFields(viewer, path)}
${textField({ name: 'url', label: 'Address', type: 'url', isRequired: true, hint: 'A public http or https address.' }, form)}
${textField({ name: 'description', label: 'Description', hint: 'The program that receives the events.', max: ENDPOINT_DESCRIPTION_MAX }, form)}
<span class="label" id="topics-label">Topics</span><div role="group" aria-labelledby="topics-label">${ENDPOINT_TOPICS.map(topic)}${faultOf('topics', 'Topics', form.errors)}</div>
<button class="primary">Create endpoint</button></form></section>`;
}
