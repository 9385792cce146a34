import { COST } from '../../api/limits/costs.ts';
import { deliveryDetailRecord } from '../../core/sets/setJson.ts';
import { type DeliveryRow, findDelivery } from '../../core/webhooks/listDeliveries.ts';
import { replayDelivery } from '../../core/webhooks/replayEvents.ts';
import { notFound } from '../../domain/failure.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { deliveryLabel, timeElement } from '../labels.ts';
import type { LiveSource } from '../live.ts';
import { goBack, idOf, type PageRoutes } from '../pageRoutes.ts';
import type { PagePaths } from '../paths.ts';
import { CHANNEL_NAMES, deliveryListPage, readDeliveryQuery, shownTarget, subjectLink } from './deliveryListPage.ts';

interface DeliveryListOptions {
  readonly paths: PagePaths;
  readonly viewer: Viewer;
  /** The page to return to. */
  readonly next: string;
}

/** The event of a large set has megabytes. */
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
    events: row.status === 'pending' ? `${paths.delivery(id)}/events` : undefined,
  };
}

/** Also while it waits for its next attempt. */
function canSendAgain({ status, tries }: Pick<DeliveryRow, 'status' | 'tries'>): boolean {
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

/** Lists the deliveries of a set or an ad with all attempts and a button that sends one again. */
export function deliveryList(rows: readonly DeliveryRow[], options: DeliveryListOptions): Html {
  if (rows.length === 0) {
    return html`<h2>Deliveries</h2><p class="hint">No deliveries yet. When the result is ready, the service sends it to the subscribers in the request.</p>`;
  }
  return html`<h2>Deliveries</h2><ul class="deliveries">${rows.map((row) => delivery(row, options))}</ul>`;
}

function delivery(row: DeliveryRow, options: DeliveryListOptions): Html {
  return html`<li>
  <p class="what"><span class="state ${row.status}">${deliveryLabel(row)}</span> <a href="${options.paths.delivery(row.id)}">${row.topic}</a> <span class="meta">by ${row.channel}</span></p>
  <p class="address"><code>${shownTarget(row.target)}</code></p>
  ${row.status === 'pending' && row.next_attempt_at !== null && html`<p class="meta">Next attempt ${timeElement(row.next_attempt_at)}</p>`}
  ${row.log.length > 0 && attemptTable(row)}
  ${canSendAgain(row) && options.viewer.canWrite && replayForm(row.id, options)}
</li>`;
}

function attemptTable({ log }: DeliveryRow): Html {
  return html`<details><summary>${log.length === 1 ? '1 attempt' : `${log.length} attempts`}</summary>
<div class="scroll"><table><thead><tr><th>#</th><th>Time</th><th>Duration</th><th>Status</th><th>Outcome</th></tr></thead><tbody>
${log.map(({ attempt, started_at, duration_ms, status_code, outcome, error }) => html`<tr><td>${attempt}</td><td>${timeElement(started_at)}</td><td>${duration_ms} ms</td><td>${status_code ?? '–'}</td><td>${outcome}${error !== null && html`: ${error}`}</td></tr>`)}
</tbody></table></div></details>`;
}

function replayForm(id: string, { paths, viewer, next }: DeliveryListOptions): Html {
  return html`<form method="post" action="${paths.organization}/deliveries/${id}/replay">${hiddenFields(viewer, next)}<button>Send again</button></form>`;
}

/** Routes of deliveries. */
export function addDeliveryRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const { db } = options.store;
  const path = '/o/:slug/deliveries/:id';
  pages.get(
    '/o/:slug/deliveries',
    ({ request, viewer, paths }) => deliveryListPage(options, { viewer, paths, query: readDeliveryQuery(request) }),
    { cost: COST.list },
  );
  pages.json(`${path}.json`, async ({ request, viewer: { organizationId } }) => {
    const row = await findDelivery(db, { organizationId, id: idOf(request) });
    return row && deliveryDetailRecord(row);
  });
  pages.get(path, (given) => deliveryPage(options, idOf(given.request), given));
  pages.events(`${path}/events`, ({ request }, findAgain) => deliverySource(options, idOf(request), findAgain));
  pages.post(`${path}/replay`, async (given) => {
    const ref = { organizationId: given.viewer.organizationId, id: idOf(given.request) };
    await db.transaction().execute(async (tx) => {
      if ((await findDelivery(tx, ref)) === undefined) throw notFound('id', 'There is no such delivery.');
      await replayDelivery(tx, ref.id);
    });
    return goBack(given);
  });
}

/** Follows the attempts of a delivery until it ends. */
function deliverySource({ store }: PagesOptions, id: string, findAgain: () => Promise<Viewer | undefined>): LiveSource {
  return {
    concerns: (change) => change.delivery === id || Object.keys(change).length === 0,
    read: async () => {
      const viewer = await findAgain();
      const row = viewer && (await findDelivery(store.db, { organizationId: viewer.organizationId, id }));
      if (row === undefined) return undefined;
      return { status: row.status, resolved: row.attempts, total: row.attempts, over: row.status !== 'pending' };
    },
  };
}
