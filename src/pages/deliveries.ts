/** Lists the deliveries of a set or an ad with all attempts and a button that sends one again. */
import type { DeliveryRow } from '../core/webhooks/listDeliveries.ts';
import type { Viewer } from './context.ts';
import { canSendAgain } from './deliveries/deliveryPage.ts';
import { shownTarget } from './deliveries/target.ts';
import { hiddenFields } from './forms.ts';
import { type Html, html } from './html.ts';
import { deliveryLabel, timeElement } from './labels.ts';
import type { PagePaths } from './paths.ts';

interface DeliveryListOptions {
  readonly paths: PagePaths;
  readonly viewer: Viewer;
  /** The page to return to. */
  readonly next: string;
}

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
  ${row.log.length > 0 && attempts(row)}
  ${canSendAgain(row) && options.viewer.canWrite && replayForm(row.id, options)}
</li>`;
}

function attempts({ log }: DeliveryRow): Html {
  return html`<details><summary>${log.length === 1 ? '1 attempt' : `${log.length} attempts`}</summary>
<div class="scroll"><table><thead><tr><th>#</th><th>Time</th><th>Duration</th><th>Status</th><th>Outcome</th></tr></thead><tbody>
${log.map(({ attempt, started_at, duration_ms, status_code, outcome, error }) => html`<tr><td>${attempt}</td><td>${timeElement(started_at)}</td><td>${duration_ms} ms</td><td>${status_code ?? '–'}</td><td>${outcome}${error !== null && html`: ${error}`}</td></tr>`)}
</tbody></table></div></details>`;
}

function replayForm(id: string, { paths, viewer, next }: DeliveryListOptions): Html {
  return html`<form method="post" action="${paths.organization}/deliveries/${id}/replay">${hiddenFields(viewer, next)}<button>Send again</button></form>`;
}
