/** Who was told, with every attempt, and a button that sends it again. */
import type { DeliveryRow } from '../../store/deliveries/listDeliveries.ts';
import type { PagePaths, Viewer } from './context.ts';
import { type Html, html } from './html.ts';
import { DELIVERY_LABELS, formatTime } from './labels.ts';

interface Given {
  readonly paths: PagePaths;
  readonly viewer: Viewer;
  /** The page to come back to. */
  readonly next: string;
}

export function deliveries(rows: readonly DeliveryRow[], given: Given): Html {
  if (rows.length === 0)
    return html`<h2>Deliveries</h2><p class="hint">None yet. Subscribers named in the request are told when it is done.</p>`;
  return html`<h2>Deliveries</h2><ul class="deliveries">${rows.map((row) => delivery(row, given))}</ul>`;
}

function delivery(row: DeliveryRow, given: Given): Html {
  return html`<li>
  <p class="what"><span class="state ${row.status}">${DELIVERY_LABELS[row.status]}</span> <strong>${row.topic}</strong> <span class="meta">by ${row.channel}</span></p>
  <p class="address"><code>${withoutQuery(row.target)}</code></p>
  ${row.status === 'pending' && row.next_attempt_at !== null && html`<p class="meta">Next try ${formatTime(row.next_attempt_at)}</p>`}
  ${row.log.length > 0 && attempts(row)}
  ${row.status !== 'pending' && given.viewer.canWrite && replayForm(row.id, given)}
</li>`;
}

/** A webhook's own secret is often in its query. */
function withoutQuery(target: string): string {
  return target.replace(/\?.*$/s, '?…');
}

function attempts({ log }: DeliveryRow): Html {
  return html`<details><summary>${log.length === 1 ? '1 attempt' : `${log.length} attempts`}</summary>
<div class="scroll"><table><thead><tr><th>#</th><th>Time</th><th>Took</th><th>Status</th><th>Outcome</th></tr></thead><tbody>
${log.map((tried) => html`<tr><td>${tried.attempt}</td><td>${formatTime(tried.started_at)}</td><td>${tried.duration_ms} ms</td><td>${tried.status_code ?? '–'}</td><td>${tried.outcome}${tried.error !== null && html`: ${tried.error}`}</td></tr>`)}
</tbody></table></div></details>`;
}

function replayForm(id: string, { paths, viewer, next }: Given): Html {
  return html`<form method="post" action="${paths.organization}/deliveries/${id}/replay">${hidden(viewer, next)}<button>Send again</button></form>`;
}

/** What each form that changes something carries. */
export function hidden(viewer: Viewer, next: string): Html {
  return html`<input type="hidden" name="form" value="${viewer.formToken}"><input type="hidden" name="next" value="${next}">`;
}
