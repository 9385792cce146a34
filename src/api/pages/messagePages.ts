/** Pages that only show a text. */
import type { ResultsPage } from './context.ts';
import { html } from './html.ts';

export function billingPage(slug: string, contact: string | undefined): ResultsPage {
  const body = html`<section class="signin"><h1>Keep using Tearsheet</h1>
<p>An organization without an active subscription is disabled. The service rejects its requests, but finishes and keeps what it accepted before.</p>
<p>To upgrade <strong>${slug}</strong>, contact the operator of this service${contact === undefined ? '.' : html`: <strong>${contact}</strong>.`} Give the name of the organization. Access returns as soon as the operator enables it (<code>tearsheet org enable ${slug}</code>).</p></section>`;
  return { title: 'Upgrade', body };
}

/** The page at the root, for people who open the address that the service prints at its start. */
export function welcomePage(base: string): ResultsPage {
  const body = html`<section class="signin"><h1>Tearsheet</h1>
<p>Placement previews: pictures of ads in slots of live pages.</p>
<p><a href="${base}/docs">API reference</a> (<a href="${base}/openapi.json">openapi.json</a>)</p>
<p>The screenshot sets of an organization are at <code>${base}/o/</code> and its name.</p></section>`;
  return { title: 'Welcome', body };
}

export function messagePage(title: string, text: string, status: number): ResultsPage {
  return { title, status, body: html`<section class="signin"><h1>${title}</h1><p>${text}</p></section>` };
}
