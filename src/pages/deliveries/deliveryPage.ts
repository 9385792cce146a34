/** One delivery: its state, its attempts with the answers, and the event. */
import { type DeliveryRow, findDelivery } from '../../core/webhooks/listDeliveries.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import { deliveryLabel, timeElement } from '../labels.ts';
import type { PagePaths } from '../paths.ts';
import { CHANNEL_NAMES, subjectLink } from './deliveryListPage.ts';
import { shownTarget } from './target.ts';

/** The event of a large set has megabytes. */
const PAYLOAD_SHOWN = 100_000;

interface Given {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
}

/** @returns undefined if this organization has no such delivery. */
export async function deliveryPage(
  { store }: PagesOptions,
  id: string,
  given: Given,
): Promise<ResultsPage | undefined> {
  const row = await findDelivery(store.db, { organizationId: given.viewer.organizationId, id });
  if (row === undefined) return undefined;
  const { paths } = given;
  const body = html`<section id="head" class="head" data-live>
  <p class="crumb"><a href="${paths.deliveries}">Deliveries</a></p>
  <h1>${row.topic}</h1>
  <p class="what"><span class="state ${row.status}">${deliveryLabel(row)}</span></p>
  ${advice(row)}
  ${facts(row, paths)}
  ${canSendAgain(row) && given.viewer.canWrite && sendAgainForm(row.id, given)}
</section>
<section id="attempts" class="panel" data-live><h2>Attempts</h2>${attempts(row)}</section>
<section class="panel"><h2>Event</h2>${payload(row.body, paths.delivery(id))}</section>`;
  return {
    title: `Delivery of ${row.topic}`,
    body,
    section: 'deliveries',
    assets: ['settings.css'],
    ...(row.status === 'pending' && { events: `${paths.delivery(id)}/events` }),
  };
}

/** Also while it waits for its next attempt. */
export function canSendAgain({ status, tries }: Pick<DeliveryRow, 'status' | 'tries'>): boolean {
  return status !== 'pending' || tries > 0;
}

function advice(row: DeliveryRow): HtmlContent {
  if (row.status === 'retries_exhausted')
    return html`<p>The service does not try again by itself. Correct the receiver, then send the delivery again.</p>`;
  if (row.reason !== null) return html`<p>${row.reason}</p>`;
  if (row.status === 'gone')
    return html`<p>The receiver said that it wants no more events. Correct it, then send the delivery again.</p>`;
  if (row.status === 'refused')
    return html`<p>The service may not connect to this address. An operator can allow it; then send the delivery again.</p>`;
  if (row.status !== 'pending') return null;
  if (row.tries === 0 || row.next_attempt_at === null) return html`<p>The service sends it in a moment.</p>`;
  return html`<p>The last attempt failed. The service tries again ${timeElement(row.next_attempt_at)}, and 14 times in all over about a day.</p>`;
}

function facts(row: DeliveryRow, paths: PagePaths): Html {
  const subject = subjectLink(row, paths);
  return html`<dl class="facts">
  <dt>${CHANNEL_NAMES[row.channel]}</dt><dd><code>${shownTarget(row.target)}</code></dd>
  <dt>Event</dt><dd><code>evt_${row.event_id}</code></dd>
  ${subject && html`<dt>About</dt><dd>${subject}</dd>`}
  <dt>Created</dt><dd>${timeElement(row.created_at)}</dd>
  ${row.finished_at !== null && html`<dt>Finished</dt><dd>${timeElement(row.finished_at)}</dd>`}
  ${row.replays > 0 && html`<dt>Sent again</dt><dd>${row.replays === 1 ? 'once' : `${row.replays} times`}</dd>`}
</dl>`;
}

function sendAgainForm(id: string, { viewer, paths }: Given): Html {
  const path = paths.delivery(id);
  return html`<form method="post" action="${path}/replay">${hiddenFields(viewer, path)}<button class="primary">Send again</button></form>`;
}

function attempts({ log }: DeliveryRow): Html {
  if (log.length === 0) return html`<p class="hint">None yet.</p>`;
  return html`<ol class="attempts">${log.toReversed().map(
    ({ attempt, started_at, duration_ms, status_code, outcome, error, response_snippet }) => html`<li>
  <p class="what"><strong>Attempt ${attempt}</strong> <span class="state ${outcome === 'delivered' ? 'delivered' : 'failed'}">${status_code ?? 'no answer'}</span> <span class="meta">${timeElement(started_at)}, took ${duration_ms.toLocaleString('en')} ms</span></p>
  ${error !== null && html`<p class="reason">${error}</p>`}
  ${(response_snippet ?? '') !== '' && html`<p class="meta">The answer begins:</p><pre tabindex="0" aria-label="Answer to attempt ${attempt}">${response_snippet}</pre>`}
</li>`,
  )}</ol>`;
}

function payload(body: string, path: string): Html {
  const isWhole = body.length <= PAYLOAD_SHOWN;
  const text = isWhole ? JSON.stringify(JSON.parse(body), null, 2) : body.slice(0, PAYLOAD_SHOWN);
  return html`<p class="meta">The body of the request, here with line breaks. ${isWhole ? html`<a href="${path}.json">JSON</a>` : html`This is its beginning; <a href="${path}.json">the JSON</a> has all of it.`}</p>
<pre tabindex="0" aria-label="Event">${text}</pre>`;
}
