/** The record that makes a picture a proof: what was captured, where, when, how. */

import type { ScreenshotView } from './grouping.ts';
import { type Html, type HtmlContent, html } from './html.ts';
import { formatTime } from './labels.ts';

/** What matters first, first; Postgres keeps no order of its own. */
const ORDER = [
  'requested_url',
  'final_url',
  'device',
  'viewport',
  'ratio',
  'marker',
  'ad_size',
  'slot',
  'score',
  'scale',
  'ad_box',
  'page_mode',
  'creative_mode',
  'browser_version',
  'sha256',
];
/** Said already, or nothing where there is a picture. */
const LEFT_OUT = ['captured_at', 'reason'];

export function provenance(
  shot: Pick<ScreenshotView, 'captured_at' | 'image_width' | 'image_height' | 'record'>,
): Html | null {
  if (shot.captured_at === null && shot.record === undefined) return null;
  const size = shot.image_width !== null && `${shot.image_width} × ${shot.image_height} device pixels`;
  return html`<details class="provenance"><summary>Provenance</summary><dl>
  ${shot.captured_at !== null && row('captured', formatTime(shot.captured_at))}
  ${size && row('picture', size)}
  ${inOrder(shot.record ?? {}).map(([name, value]) => row(name.replaceAll('_', ' '), shown(value)))}
</dl></details>`;
}

function inOrder(record: object): [string, unknown][] {
  const place = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return Object.entries(record)
    .filter(([name]) => !LEFT_OUT.includes(name))
    .toSorted(([a], [b]) => place(a) - place(b));
}

function row(name: string, value: HtmlContent): Html {
  return html`<dt>${name}</dt><dd>${value}</dd>`;
}

/** Plain values as text, short lists in one line, the rest as JSON. */
function shown(value: unknown): HtmlContent {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'object') return String(value);
  const text = JSON.stringify(value);
  return text.length <= 60 ? html`<code>${text}</code>` : html`<pre>${JSON.stringify(value, null, 2)}</pre>`;
}
