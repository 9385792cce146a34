/** The free pairs of an ad or a set, as the pages show them. */
import type { Metadata } from '../domain/metadata.ts';
import { type HtmlContent, html } from './html.ts';

/** Closed, because only some readers need them. */
export function metadataList(metadata: Metadata): HtmlContent {
  const pairs = Object.entries(metadata);
  if (pairs.length === 0) return null;
  const rows = pairs.map(([key, value]) => html`<dt><bdi>${key}</bdi></dt><dd><bdi>${value}</bdi></dd>`);
  return html`<details class="note"><summary>Metadata</summary><dl>${rows}</dl></details>`;
}
