/** The webhook endpoints of the organization: list, create, and what an administrator can do with one. */

import { COST } from '../../api/limits/costs.ts';
import { NewWebhookEndpoint } from '../../contract/webhookEndpoints.ts';
import { listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import { sendTestEventToEndpoint } from '../../core/webhooks/testEvents.ts';
import { type EndpointRow, findEndpoint, listEndpoints } from '../../core/webhooks/webhookEndpointQueries.ts';
import {
  changeEndpoint,
  checkEndpointAddress,
  createEndpoint,
  replaceEndpointSecret,
} from '../../core/webhooks/webhookEndpoints.ts';
import { secretState } from '../../db/secrets/webhookSecrets.ts';
import { DEFAULT_TOPICS, ENDPOINT_TOPICS } from '../../domain/topics.ts';
import { ENDPOINTS_MAX } from '../../domain/webhookEndpoints.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { deliveryList } from '../deliveries/deliveryPage.ts';
import { badge, button, type Column, facts, panel, table } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { checkbox, EMPTY_FORM, type FormState, otherFaults } from '../parts/formFields.ts';
import { actionForm, formField, hiddenFields } from '../parts/forms.ts';
import { formTable, readForm, renderForm } from '../parts/formTable.ts';
import { timeElement } from '../parts/labels.ts';
import { ADMIN, idOf, type PageRoutes, redirectTo, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { addAction, framedPage, secretPanel } from '../routes/settingsFrame.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

const DELIVERIES_SHOWN = 10;

const ENDPOINT = formTable(NewWebhookEndpoint, {
  url: { kind: 'url', label: 'Address', hint: 'A public http or https address.' },
  description: { label: 'Description', hint: 'The program that receives the events.' },
  topics: {
    kind: 'checkboxes',
    label: 'Topics',
    prefix: 'topic_',
    choices: ENDPOINT_TOPICS.map((topic) => [topic, topic] as const),
    value: DEFAULT_TOPICS,
  },
});

export function addEndpointRoutes(pages: PageRoutes): void {
  const { options, guard } = pages;
  const at = (rest = '') => ({ page: 'endpoints', path: `/o/:slug/settings/endpoints${rest}` }) as const;
  pages.get(at().path, (given) => endpointsPage(options, given), ADMIN);
  addAction(pages, at(), {
    read: async ({ request }) => {
      const body = readForm(ENDPOINT, request);
      await checkEndpointAddress(guard, body.url);
      return body;
    },
    act: (tx, { viewer, actor }, body) => createEndpoint(tx, viewer.organizationId, body, actor),
    answer: (given, { row, secret }) => endpointPage(options, row.id, { ...given, secret }),
    again: (given, form) => endpointsPage(options, given, form),
  });
  pages.get(at('/:id').path, (given) => endpointPage(options, idOf(given.request), given), ADMIN);
  for (const action of ['enable', 'disable'] as const)
    addAction(pages, at(`/:id/${action}`), {
      act: (tx, given) => {
        const context = { actor: given.actor, queue: options.queue };
        return changeEndpoint(tx, refOf(given), { disabled: action === 'disable' }, context);
      },
      answer: (given, { id }) => redirectTo(given, `${given.paths.settings('endpoints')}/${id}`, 'saved'),
    });
  addAction(pages, at('/:id/rotate'), {
    act: (tx, given) => replaceEndpointSecret(tx, refOf(given), formField(given.request, 'leaked') === '', given.actor),
    answer: (given, { row, secret }) => endpointPage(options, row.id, { ...given, secret }),
  });
  addAction(pages, at('/:id/test'), {
    act: (tx, given) => sendTestEventToEndpoint(tx, refOf(given), given.actor),
    answer: (given, delivery) => redirectTo(given, given.paths.delivery(delivery)),
    again: (given, form) => endpointPage(options, idOf(given.request), { ...given, form }),
    cost: COST.outgoing,
  });
}

async function endpointsPage({ store }: PagesOptions, given: Given, form = EMPTY_FORM): Promise<ResultsPage> {
  const { viewer, paths } = given;
  const page = { page: 1, perPage: ENDPOINTS_MAX };
  const { rows } = await listEndpoints(store.db, { organizationId: viewer.organizationId }, page);
  const create = renderForm(ENDPOINT, { viewer, page: paths.settings('endpoints'), form, submit: 'Create endpoint' });
  const body = html`<p class="meta">Each endpoint gets the events of all sets and ads of the organization,
in addition to the receivers named in requests.</p>
${rows.length > 0 && table({ columns: columns(paths), rows })}
${panel('Create an endpoint', create, { id: 'create' })}`;
  return framedPage({ viewer, paths }, 'endpoints', { body, status: form.status });
}

const columns = (paths: Given['paths']): Column<EndpointRow>[] => [
  {
    label: 'Address',
    kind: 'main',
    cell: ({ id, url, description }) =>
      html`<a href="${paths.settings('endpoints')}/${id}"><bdi>${url}</bdi></a>
<span class="meta"><bdi>${description}</bdi></span>`,
  },
  { label: 'Topics', cell: ({ topics }) => (topics ?? DEFAULT_TOPICS).join(', ') },
  { label: 'Status', cell: endpointState },
];

/** Enabled, failing or disabled, and since when. */
function endpointState({ disabled_at, disabled_reason, failing_since }: EndpointRow): Html {
  if (disabled_at !== null) {
    const by = disabled_reason !== null && 'by the service ';
    return html`${badge('canceled', 'Disabled')} <span class="meta">${by}since ${timeElement(disabled_at)}</span>`;
  }
  return failing_since === null
    ? badge('active', 'Enabled')
    : html`${badge('failed', 'Failing')} <span class="meta">since ${timeElement(failing_since)}</span>`;
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
  const given = { viewer, paths };
  const path = `${paths.settings('endpoints')}/${id}`;
  const head = html`${otherFaults(form.errors, [])}
${
  row.disabled_reason !== null &&
  html`<p class="note warnings"><strong>The service disabled this endpoint.</strong> ${row.disabled_reason}</p>`
}
${endpointFacts(row)}
<div class="actions">${actions(row, given)}</div>`;
  const rotation = html`<p>For 24 hours, webhooks are signed with the new and the old secret.</p>
<form class="stack" method="post" action="${path}/rotate">${hiddenFields(viewer, path)}
${checkbox({ name: 'leaked', label: 'The secret leaked: stop signing with it now', isChecked: false })}
${button({ label: 'Replace the secret', kind: 'danger' })}</form>`;
  const note = 'Copy it now, and give it to the receiver. It will not be shown again.';
  const shown = { value: secret ?? '', label: 'The new secret' };
  const body = html`${secret !== undefined && secretPanel('The secret of this endpoint', note, shown)}
${panel(html`<bdi>${row.url}</bdi>`, head)}
${panel('Replace the secret', rotation)}
<section class="part">${deliveryList(rows, { viewer, paths, next: path })}</section>
<p><a href="${paths.settings('endpoints')}">All endpoints</a></p>`;
  return framedPage(given, 'endpoints', { body, status: form.status });
}

function endpointFacts(row: EndpointRow): Html {
  const { createdAt, previousUntil } = secretState({
    createdAt: row.created_at,
    rotatedAt: row.secret_rotated_at,
    hasPrevious: row.previous_secret !== null,
  });
  return facts([
    ['Status', endpointState(row)],
    ['Description', row.description],
    ['Topics', (row.topics ?? DEFAULT_TOPICS).join(', ')],
    ['Headers', row.header_names.join(', ')],
    [
      'Secret',
      html`made ${timeElement(createdAt)}${
        previousUntil !== null && html`; the old one also signs until ${timeElement(previousUntil)}`
      }`,
    ],
  ]);
}

function actions(row: EndpointRow, { viewer, paths }: Given): HtmlContent {
  const path = `${paths.settings('endpoints')}/${row.id}`;
  const action = (name: string, label: string) => actionForm({ viewer, action: `${path}/${name}`, next: path, label });
  if (row.disabled_at !== null) return action('enable', 'Enable');
  return [action('test', 'Send a test event'), action('disable', 'Disable')];
}
