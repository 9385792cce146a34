/** The secret that signs webhooks, its rotation, and test events. */
import { readWebhookSecret } from '../../core/organizations/organizations.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, html } from '../html.ts';
import { timeElement } from '../labels.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { EMPTY_FORM, type FormState } from './adminHandlers.ts';
import { checkbox, textField } from './fields.ts';
import { settingsPage } from './settingsPage.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

interface WebhooksPageOptions {
  readonly form?: FormState;
  readonly status?: number;
  /** A secret that was just made. */
  readonly secret?: string;
}

export async function webhooksPage(
  { store, sendingAddresses = [] }: PagesOptions,
  given: Given,
  { form = EMPTY_FORM, status, secret }: WebhooksPageOptions = {},
): Promise<ResultsPage> {
  const { viewer, paths } = given;
  const { createdAt, previousUntil } = await readWebhookSecret(store.db, viewer.slug);
  const body = html`${secret !== undefined && newSecret(secret)}
<section class="panel"><h2>Secret</h2>
<p>The service signs each webhook with this secret, as <a href="https://www.standardwebhooks.com/" rel="noopener noreferrer">Standard Webhooks</a> defines. Receivers verify the signature with it.</p>
<dl class="facts"><dt>Made</dt><dd>${timeElement(createdAt)}</dd>
${previousUntil !== null && html`<dt>Old secret</dt><dd>also signs until ${timeElement(previousUntil)}</dd>`}</dl>
<p><a href="${paths.settings('webhooks')}/rotate">Replace the secret</a></p></section>
${testForm(given, form)}
<section class="panel"><h2>Receivers</h2>
<p>Each request names its receivers in <code>subscribers</code>. <a href="${paths.settings('endpoints')}">Endpoints</a> get the events of all requests. <a href="${paths.deliveries}?channel=webhook">All deliveries to webhooks</a></p>
${senders(sendingAddresses)}</section>`;
  return settingsPage({ paths, current: 'webhooks', body, ...(status !== undefined && { status }) });
}

function senders(addresses: readonly string[]): Html {
  return addresses.length === 0
    ? html`<p>The operator has not named the addresses from which webhooks come.</p>`
    : html`<p>Webhooks come from these addresses, so a firewall in front of a receiver must allow them: ${addresses.map((address) => html`<code>${address}</code> `)}</p>`;
}

function newSecret(secret: string): Html {
  return html`<section class="panel secret" role="status"><h2>The secret was replaced</h2>
<p>Copy the new one now, and give it to all receivers. No page can show it again.</p>
<input readonly value="${secret}" aria-label="The new secret"></section>`;
}

function testForm({ viewer, paths }: Given, form: FormState): Html {
  const path = `${paths.settings('webhooks')}/test`;
  return html`<section class="panel" id="test"><h2>Test</h2>
<p>Sends one signed event with the topic <code>webhook.test</code>, and shows what the receiver answers.</p>
<form class="fields" method="post" action="${path}">${hiddenFields(viewer, paths.settings('webhooks'))}
${textField({ name: 'url', label: 'Address', type: 'url', isRequired: true, hint: 'A public http or https address.' }, form)}
<button class="primary">Send a test event</button></form></section>`;
}

/** Asks before the secret is replaced. */
export async function rotatePage({ store }: PagesOptions, { viewer, paths }: Given): Promise<ResultsPage> {
  const { previousUntil } = await readWebhookSecret(store.db, viewer.slug);
  const back = paths.settings('webhooks');
  const body = html`<section class="panel"><h2>Replace the webhook secret?</h2>
<p>For 24 hours, webhooks are signed with the new and the old secret, so that receivers can change one after the other.</p>
${previousUntil !== null && html`<p class="note warnings"><strong>The secret was replaced less than a day ago.</strong> The one before it stops signing now.</p>`}
<form class="stack" method="post" action="${back}/rotate">${hiddenFields(viewer, back)}
${checkbox({ name: 'leaked', label: 'The secret leaked: stop signing with it now', isChecked: false })}
<p class="do"><button class="danger">Replace the secret</button> <a href="${back}">Keep it</a></p></form></section>`;
  return settingsPage({ paths, current: 'webhooks', body });
}
