/** The little Markdown of the descriptions in the OpenAPI document: paragraphs, code, strong and emphasized text, links. */
import { type Html, html } from '../html.ts';

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\((https:\/\/[^)\s]+)\)/g;

export function paragraphs(text: string): Html[] {
  return text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

export function inline(text: string): (Html | string)[] {
  const parts: (Html | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(end, match.index), format(match));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

function format([, code, strong, emphasized, label, address]: RegExpExecArray): Html {
  if (code !== undefined) return html`<code>${code}</code>`;
  if (strong !== undefined) return html`<strong>${strong}</strong>`;
  if (emphasized !== undefined) return html`<em>${emphasized}</em>`;
  return html`<a href="${address}">${label}</a>`;
}
