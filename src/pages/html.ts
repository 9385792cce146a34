/** HTML of the pages. */
import { type Html, type HtmlContent, html } from '../lib/html.ts';

export { Html, type HtmlContent, html } from '../lib/html.ts';

/** @returns a link for http and https addresses, otherwise the plain text, so that `javascript:` never becomes a link. */
export function webLink(address: string, text: HtmlContent = address): Html {
  const protocol = URL.canParse(address) ? new URL(address).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') return html`${text}`;
  return html`<a href="${address}" rel="noopener noreferrer nofollow" target="_blank">${text}</a>`;
}
