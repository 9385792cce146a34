/** The warnings of a picture, near the picture. */
import type { Warning } from '../domain/warnings.ts';
import { type HtmlContent, html } from './html.ts';

export function warningList(warnings: readonly Warning[]): HtmlContent {
  if (warnings.length === 0) return null;
  return html`<ul class="note warnings" aria-label="Warnings">${warnings.map(({ message }) => html`<li>${message}</li>`)}</ul>`;
}
