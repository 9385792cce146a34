/** The webhook endpoints of the organization: list, create, and what an administrator can do with one. */
import { COST } from '../../api/limits/costs.ts';
import { NewWebhookEndpoint } from '../../contract/webhookEndpoints.ts';
import { secretState } from '../../core/organizations/secrets.ts';
import { type DeliveryRow, listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import { sendTestEventToEndpoint } from '../../core/webhooks/testEvents.ts';
import {
  type EndpointRow,
  findEndpoint,
  listEndpoints,
  type OneEndpoint,
} from '../../core/webhooks/webhookEndpointQueries.ts';
import {
  changeEndpoint,
  checkEndpointAddress,
  createEndpoint,
  replaceEndpointSecret,
} from '../../core/webhooks/webhookEndpoints.ts';
import { isUuid } from '../../domain/slugs.ts';
import { DEFAULT_TOPICS, ENDPOINT_TOPICS } from '../../domain/topics.ts';
import { ENDPOINT_DESCRIPTION_MAX, ENDPOINTS_MAX } from '../../domain/webhookEndpoints.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import {
  answerForm,
  checkbox,
  EMPTY_FORM,
  type FormState,
  faultOf,
  otherFaults,
  readFields,
  textField,
} from '../fields.ts';
import { formField, hiddenFields } from '../forms.ts';
import { deliveryLabel, timeElement } from '../labels.ts';
import { ADMIN, type PageResult, type PageRoutes, redirectTo, type ViewerRequest } from '../pageRoutes.ts';
import { secretPanel, settingsPage } from './frame.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

const DELIVERIES_SHOWN = 10;

export function addEndpointRoutes(pages: PageRoutes): void {
  const { options, guard } = pages;
  const { db } = options.store;
  const path = '/o/:slug/settings/endpoints';
  pages.get(path, (given) => endpointsPage(options, given), ADMIN);
  pages.post(
    path,
    (given) => {
      const { request, viewer, actor } = given;
      const run = async () => {
        const body = readFields(NewWebhookEndpoint, {
          url: formField(request, 'url'),
          description: formField(request, 'description'),
          topics: ENDPOINT_TOPICS.filter((topic) => formField(request, `topic_${topic}`) !== ''),
        });
        await checkEndpointAddress(guard, body.url);
        const { row, secret } = await db
          .transaction()
          .execute((tx) => createEndpoint(tx, viewer.organizationId, body, actor));
        return endpointPage(options, row.id, { ...given, secret });
      };
      return answerForm(given, { run, again: (form) => endpointsPage(options, given, form) });
    },
    ADMIN,
  );
  /** Handles a request that names an endpoint of the organization. */
  const one =
    (handle: (given: ViewerRequest, one: OneEndpoint) => Promise<PageResult>) => async (given: ViewerRequest) => {
      const id = String(given.request.params['endpoint']).toLowerCase();
      return isUuid(id) ? handle(given, { organizationId: given.viewer.organizationId, id }) : undefined;
    };
  pages.get(
    `${path}/:endpoint`,
    one((given, { id }) => endpointPage(options, id, given)),
    ADMIN,
  );
  for (const action of ['enable', 'disable'] as const)
    pages.post(
      `${path}/:endpoint/${action}`,
      one(async (given, endpoint) => {
        const context = { actor: given.actor, queue: options.queue };
        const change = { disabled: action === 'disable' };
        await db.transaction().execute((tx) => changeEndpoint(tx, endpoint, change, context));
        return redirectTo(given, `${given.paths.settings('endpoints')}/${endpoint.id}`, 'saved');
      }),
      ADMIN,
    );
  pages.post(
    `${path}/:endpoint/rotate`,
    one(async (given, endpoint) => {
      const keepPrevious = formField(given.request, 'leaked') === '';
      const { secret } = await db
        .transaction()
        .execute((tx) => replaceEndpointSecret(tx, endpoint, keepPrevious, given.actor));
      return endpointPage(options, endpoint.id, { ...given, secret });
    }),
    ADMIN,
  );
  pages.post(
    `${path}/:endpoint/test`,
    one((given, endpoint) => {
      const run = async () => {
        const delivery = await db.transaction().execute((tx) => sendTestEventToEndpoint(tx, endpoint, given.actor));
        return redirectTo(given, given.paths.delivery(delivery));
      };
      return answerForm(given, { run, again: (form) => endpointPage(options, endpoint.id, { ...given, form }) });
    }),
    { scope: 'admin', cost: COST.outgoing },
  );
}

async function endpointsPage({ store }: PagesOptions, given: Given, form = EMPTY_FORM): Promise<ResultsPage> {
  const { viewer, paths } = given;
  const page = { page: 1, perPage: ENDPOINTS_MAX };
  const { rows } = await listEndpoints(store.db, { organizationId: viewer.organizationId }, page);
  const body = html`<section class="panel wide"><h2>Webhook endpoints</h2>
<p>Each gets the events of all sets and ads of the organization, beside the subscribers that requests name.</p>
${rows.length === 0 ? html`<p>There is none yet. Create one below.</p>` : table(rows, given)}</section>
${createForm(given, form)}`;
  return settingsPage({ paths, current: 'endpoints', body, status: form.status });
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
function endpointState({ disabled_at, disabled_reason, failing_since }: EndpointRow): Html {
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

interface EndpointPageOptions {
  readonly form?: FormState;
  /** A secret that was just made. */
  readonly secret?: string;
}

/** @param id a UUID. @returns undefined if the organization has no such endpoint. */
async function endpointPage(
  { store }: PagesOptions,
  id: string,
  { viewer, paths, form = EMPTY_FORM, secret }: Given & EndpointPageOptions,
): Promise<ResultsPage | undefined> {
  const { organizationId } = viewer;
  const row = await findEndpoint(store.db, { organizationId, id });
  if (row === undefined) return undefined;
  const page = { page: 1, perPage: DELIVERIES_SHOWN };
  const { rows } = await listDeliveries(store.db, { organizationId, endpointId: id }, page);
  const body = html`${secret !== undefined && secretPanel('The secret of this endpoint', 'Copy it now, and give it to the receiver. No page can show it again.', { value: secret, label: 'The new secret' })}
<section class="panel wide"><h2><bdi>${row.url}</bdi></h2>
${otherFaults(form.errors, [])}
${row.disabled_reason !== null && html`<p class="note warnings"><strong>The service disabled this endpoint.</strong> ${row.disabled_reason}</p>`}
${facts(row)}
<p class="do">${actions(row, { viewer, paths })}</p></section>
${rotateForm(row, { viewer, paths })}
<section class="panel wide"><h2>Last deliveries</h2>${deliveries(rows, { viewer, paths })}</section>
<p><a href="${paths.settings('endpoints')}">All endpoints</a></p>`;
  return settingsPage({ paths, current: 'endpoints', body, status: form.status });
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
