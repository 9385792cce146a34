import { COST } from '../../api/limits/costs.ts';
import { deliveryDetailRecord } from '../../core/webhooks/deliveryJson.ts';
import { type DeliveryRow, findDelivery } from '../../core/webhooks/listDeliveries.ts';
import { replayDelivery } from '../../core/webhooks/replayEvents.ts';
import { notFound } from '../../domain/failure.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, copyText, facts, pageHead, panel } from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { actionForm } from '../parts/forms.ts';
import { deliveryLabel, timeElement } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { goBack, idOf, type PageRoutes, refOf } from '../routes/pageRoutes.ts';
import { CHANNEL_NAMES, deliveryListPage, type Naming, namesOf, shownTarget, subjectLink } from './deliveryListPage.ts';

interface DeliveryListOptions {
  readonly paths: PagePaths;
  readonly viewer: Viewer;
  /** The page to return to. */
  readonly next: string;
}

/** The event of a large set can have megabytes. */
const PAYLOAD_SHOWN = 100_000;

interface Given {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
}

/** @returns undefined if this organization has no such delivery. */
async function deliveryPage({ store }: PagesOptions, id: string, given: Given): Promise<ResultsPage | undefined> {
  const row = await findDelivery(store.db, { organizationId: given.viewer.organizationId, id });
  if (row === undefined) return undefined;
  const { paths } = given;
  const head = pageHead({
    title: row.topic,
    up: { href: paths.deliveries, label: 'Deliveries' },
    badge: badge(row.status, deliveryLabel(row)),
    actions:
      canSendAgain(row) && given.viewer.canWrite && sendAgainForm(row.id, { ...given, next: paths.delivery(id) }),
  });
  const body = html`<div id="head" class="part" data-live>${head}
${advice(row)}
${panel('Delivery', deliveryFacts(row, { paths, names: await namesOf(store, given.viewer, [row]) }))}
${panel('Attempts', attempts(row))}</div>
${panel('Event', payload(row.body, paths.delivery(id)))}`;
  return {
    title: `Delivery of ${row.topic}`,
    body,
    section: 'integrations',
    events: row.status === 'pending' ? `${paths.delivery(id)}/events` : undefined,
  };
}

/** Also while it waits for its next attempt. */
function canSendAgain({ status, tries }: Pick<DeliveryRow, 'status' | 'tries'>): boolean {
  return status !== 'pending' || tries > 0;
}

function advice(row: DeliveryRow): HtmlContent {
  if (row.status === 'retries_exhausted')
    return html`<p>The service does not retry automatically. Correct the receiver, then send the delivery again.</p>`;
  if (row.reason !== null) return html`<p>${row.reason}</p>`;
  if (row.status === 'gone' && (row.channel === 'email' || row.channel === 'chat'))
    return html`<p>${row.log.at(-1)?.error}</p>`;
  if (row.status === 'gone')
    return html`<p>The receiver no longer accepts events. Correct it, then send the delivery again.</p>`;
  if (row.status === 'refused')
    return html`<p>The service is not allowed to connect to this address. An operator can allow it; then send the delivery again.</p>`;
  if (row.status !== 'pending') return null;
  if (row.tries === 0 || row.next_attempt_at === null) return html`<p>The service will send it in a moment.</p>`;
  return html`<p>The last attempt failed. Next attempt: ${timeElement(row.next_attempt_at)}.
    The service makes up to 14 attempts over about a day.</p>`;
}

function deliveryFacts(row: DeliveryRow, naming: Naming): Html {
  return facts([
    [CHANNEL_NAMES[row.channel], html`<code>${shownTarget(row.target)}</code>`],
    ['Event', copyText('the event id', `evt_${row.event_id}`)],
    ['About', subjectLink(row, naming)],
    ['Created', timeElement(row.created_at)],
    ['Finished', row.finished_at && timeElement(row.finished_at)],
    ['Sent again', row.replays > 0 && (row.replays === 1 ? 'once' : `${row.replays} times`)],
  ]);
}

const sendAgainForm = (id: string, { paths, viewer, next }: DeliveryListOptions): Html =>
  actionForm({ viewer, next, action: `${paths.delivery(id)}/replay`, label: 'Send again', icon: 'rotate-ccw' });

function attempts({ log }: DeliveryRow): Html {
  if (log.length === 0) return html`<p class="hint">None yet.</p>`;
  return html`<ol class="items">${log.toReversed().map(attemptItem)}</ol>`;
}

function attemptItem(attempt: DeliveryRow['log'][number]): Html {
  const { started_at, duration_ms, status_code, outcome, error, response_snippet: response } = attempt;
  const result = badge(outcome === 'delivered' ? 'delivered' : 'failed', status_code ?? 'no answer');
  const time = html`${timeElement(started_at)}, took ${duration_ms.toLocaleString('en')} ms`;
  const answer =
    (response ?? '') !== '' &&
    html`<p class="meta">The response begins:</p>
    <pre tabindex="0" aria-label="Answer to attempt ${attempt.attempt}">${response}</pre>`;
  return html`<li>
    <p><strong>Attempt ${attempt.attempt}</strong> ${result} <span class="meta">${time}</span></p>
    ${error !== null && html`<p class="reason">${error}</p>`}
    ${answer}
  </li>`;
}

function payload(body: string, path: string): Html {
  const isWhole = body.length <= PAYLOAD_SHOWN;
  const text = isWhole ? JSON.stringify(JSON.parse(body), null, 2) : body.slice(0, PAYLOAD_SHOWN);
  const link = isWhole
    ? html`<a href="${path}.json">JSON</a>`
    : html`Only the beginning is shown; <a href="${path}.json">the JSON</a> is complete.`;
  return html`<p class="meta">The body of the request, here with line breaks. ${link}</p>
<pre tabindex="0" aria-label="Event">${text}</pre>`;
}

/** Lists the deliveries of a set or an ad with all attempts and a button that sends one again. */
export function deliveryList(rows: readonly DeliveryRow[], options: DeliveryListOptions): Html {
  if (rows.length === 0) {
    return html`<h2>Deliveries</h2>
      <p class="hint">No deliveries yet. When the result is ready, the service sends it to the receivers in the request.</p>`;
  }
  return html`<h2>Deliveries</h2><ul class="items">${rows.map((row) => delivery(row, options))}</ul>`;
}

function delivery(row: DeliveryRow, options: DeliveryListOptions): Html {
  const next = row.status === 'pending' && row.next_attempt_at;
  const link = html`<a href="${options.paths.delivery(row.id)}">${row.topic}</a>`;
  const target = html`to <code>${shownTarget(row.target)}</code>${next && html`, next attempt ${timeElement(next)}`}`;
  return html`<li>
    <p>${badge(row.status, deliveryLabel(row))} ${link} <span class="meta">${target}</span></p>
    ${canSendAgain(row) && options.viewer.canWrite && sendAgainForm(row.id, options)}
  </li>`;
}

/** Routes of deliveries. */
export function addDeliveryRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const { db } = options.store;
  const path = '/o/:slug/deliveries/:id';
  pages.get('/o/:slug/deliveries', (given) => deliveryListPage(options, given), { cost: COST.list });
  pages.json(`${path}.json`, async (given) => {
    const row = await findDelivery(db, refOf(given));
    return row && deliveryDetailRecord(row);
  });
  pages.get(path, (given) => deliveryPage(options, idOf(given.request), given));
  pages.events(`${path}/events`, (given) => {
    const ref = refOf(given);
    const exists = async () => (await findDelivery(db, ref)) !== undefined;
    return { concerns: ({ delivery }) => delivery === ref.id, exists };
  });
  pages.post(`${path}/replay`, async (given) => {
    const ref = refOf(given);
    await db.transaction().execute(async (tx) => {
      if ((await findDelivery(tx, ref)) === undefined) throw notFound('id', 'There is no such delivery.');
      await replayDelivery(tx, ref.id);
    });
    return goBack(given);
  });
}
