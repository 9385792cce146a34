/** Shows the provenance record of a placement preview: which page, slot, device and creative it shows, and when and how it was made. */
import { type Html, type HtmlContent, html } from '../html.ts';
import { timeElement } from '../labels.ts';
import type { PictureView } from './pictures.ts';

/** The order on the page, because PostgreSQL does not keep the order of the fields. Other fields follow. */
const FIELD_ORDER = [
  'requested_url',
  'final_url',
  'device',
  'viewport',
  'ratio',
  'marker',
  'options',
  'ad_size',
  'slot',
  'score',
  'scale',
  'ad_box',
  'page_mode',
  'creative_mode',
  'warnings',
  'browser_version',
  'sha256',
];
/** The page shows these elsewhere. */
const HIDDEN_FIELDS = ['kind', 'captured_at', 'reason'];

type Picture = Pick<PictureView, 'captured_at' | 'image_width' | 'image_height'>;

export function provenance(
  { captured_at, image_width, image_height }: Picture,
  record: object | undefined,
): Html | null {
  if (captured_at === null && record === undefined) return null;
  return html`<details class="provenance"><summary>Placement preview record</summary><dl>
  ${captured_at !== null && row('captured', timeElement(captured_at))}
  ${image_width !== null && row('picture', `${image_width} × ${image_height} device pixels`)}
  ${inOrder(record ?? {}).map(([name, value]) => row(name.replaceAll('_', ' '), fieldValue(value)))}
</dl></details>`;
}

function inOrder(record: object): [string, unknown][] {
  const position = (name: string) => (FIELD_ORDER.includes(name) ? FIELD_ORDER.indexOf(name) : FIELD_ORDER.length);
  return Object.entries(record)
    .filter(([name]) => !HIDDEN_FIELDS.includes(name))
    .toSorted(([a], [b]) => position(a) - position(b));
}

function row(name: string, value: HtmlContent): Html {
  return html`<dt>${name}</dt><dd>${value}</dd>`;
}

/** @returns simple values as text, short lists on one line, everything else as indented JSON. */
function fieldValue(value: unknown): HtmlContent {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'object') return String(value);
  const text = JSON.stringify(value);
  return text.length <= 60
    ? html`<code>${text}</code>`
    : html`<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;
}
