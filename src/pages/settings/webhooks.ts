/** The secret that signs webhooks, its rotation, and test events. */

import { COST } from '../../api/limits/costs.ts';
import { WebhookTest } from '../../contract/webhookEndpoints.ts';
import { readWebhookSecret } from '../../core/organizations/organizations.ts';
import { replaceWebhookSecret } from '../../core/organizations/settings.ts';
import { sendTestEvent } from '../../core/webhooks/testEvents.ts';
import { checkEndpointAddress } from '../../core/webhooks/webhookEndpoints.ts';
import { type Html, html } from '../../lib/html.ts';
import { copyText, facts, linkButton, panel } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { checkbox, EMPTY_FORM, type FormState } from '../parts/formFields.ts';
import { formField } from '../parts/forms.ts';
import { formTable, readForm, renderForm } from '../parts/formTable.ts';
import { timeElement } from '../parts/labels.ts';
import { ADMIN, type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';
import { addAction, addAskedAction, framedPage, secretPanel } from '../routes/settingsFrame.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

interface WebhooksPageOptions {
  readonly form?: FormState;
  /** A secret that was just made. */
  readonly secret?: string;
}

const TEST = formTable(WebhookTest, {
  url: { kind: 'url', label: 'Address', hint: 'A public http or https address.' },
});

export function addWebhookRoutes(pages: PageRoutes): void {
  const { options, guard } = pages;
  const path = '/o/:slug/settings/webhooks';
  pages.get(path, (given) => webhooksPage(options, given), ADMIN);
  addAskedAction(
    pages,
    { page: 'webhooks', path: `${path}/rotate` },
    {
      ask: (given) => rotation(options, given),
      act: (tx, { request, viewer, actor }) =>
        replaceWebhookSecret(tx, viewer.slug, formField(request, 'leaked') === '', actor),
      answer: (given, secret) => webhooksPage(options, given, { secret }),
    },
  );
  addAction(
    pages,
    { page: 'webhooks', path: `${path}/test` },
    {
      read: async ({ request }) => {
        const { url } = readForm(TEST, request);
        await checkEndpointAddress(guard, url);
        return url;
      },
      act: (tx, { viewer: { organizationId }, actor }, url) => sendTestEvent(tx, { organizationId, url }, actor),
      answer: (given, id) => redirectTo(given, given.paths.delivery(id)),
      again: (given, form) => webhooksPage(options, given, { form }),
      cost: COST.outgoing,
    },
  );
}

async function webhooksPage(
  { store, sendingAddresses = [] }: PagesOptions,
  given: Given,
  { form = EMPTY_FORM, secret }: WebhooksPageOptions = {},
): Promise<ResultsPage> {
  const { viewer, paths } = given;
  const { createdAt, previousUntil } = await readWebhookSecret(store.db, viewer.slug);
  const secretFacts = html`<p>The service signs each webhook with this secret,
as <a href="https://www.standardwebhooks.com/" rel="noopener noreferrer">Standard Webhooks</a> defines.
Receivers verify the signature with it.</p>
${facts([
  ['Made', timeElement(createdAt)],
  ['Old secret', previousUntil && html`also signs until ${timeElement(previousUntil)}`],
])}
<p>${linkButton({ href: `${paths.settings('webhooks')}/rotate`, label: 'Replace the secret' })}</p>`;
  const receivers = html`<p>Each request names its receivers in <code>subscribers</code>.
<a href="${paths.settings('endpoints')}">Endpoints</a> get the events of all requests.
<a href="${paths.deliveries}?channel=webhook">All deliveries to webhooks</a></p>
${senders(sendingAddresses)}`;
  const note = 'Copy the new one now, and give it to all receivers. It will not be shown again.';
  const shown = { value: secret ?? '', label: 'The new secret' };
  const body = html`${secret !== undefined && secretPanel('The secret was replaced', note, shown)}
${panel('Secret', secretFacts)}
${panel('Test', testForm(given, form), { id: 'test' })}
${panel('Receivers', receivers)}`;
  return framedPage(given, 'webhooks', { body, status: form.status });
}

function senders(addresses: readonly string[]): Html {
  return addresses.length === 0
    ? html`<p>The operator has not listed the addresses from which webhooks are sent.</p>`
    : html`<p>Webhooks are sent from these addresses, so a firewall in front of a receiver must allow them:</p>
<ul>${addresses.map((address) => html`<li>${copyText('the address', address)}</li>`)}</ul>`;
}

function testForm({ viewer, paths }: Given, form: FormState): Html {
  const page = paths.settings('webhooks');
  return html`<p>Sends one signed event with the topic <code>webhook.test</code>, and shows the response of the receiver.</p>
${renderForm(TEST, { viewer, page, action: `${page}/test`, form, submit: 'Send a test event' })}`;
}

/** Asks before the secret is replaced. */
async function rotation({ store }: PagesOptions, { viewer }: Given) {
  const { previousUntil } = await readWebhookSecret(store.db, viewer.slug);
  return {
    question: 'Replace the webhook secret?',
    text: html`<p>For 24 hours, webhooks are signed with the new and the old secret,
so that receivers can change one after the other.</p>
${
  previousUntil !== null &&
  html`<p class="note warnings"><strong>The secret was replaced less than a day ago.</strong>
The one before it stops signing now.</p>`
}`,
    fields: checkbox({ name: 'leaked', label: 'The secret leaked: stop signing with it now', isChecked: false }),
    button: 'Replace the secret',
  };
}
