/** Pages that only say something. */
import type { ResultsPage } from './context.ts';
import { html } from './html.ts';

export function billingPage(slug: string, contact: string | undefined): ResultsPage {
  const body = html`<section class="signin"><h1>Keep using Tearsheet</h1>
<p>While an organization has no active subscription it is disabled: its requests are refused, and what it had asked for before is still finished and kept.</p>
<p>To upgrade <strong>${slug}</strong>, contact the operator of this service${contact === undefined ? '.' : html`: <strong>${contact}</strong>.`} Say the organization’s name; it works again at once when the operator has enabled it (<code>tearsheet org enable ${slug}</code>).</p></section>`;
  return { title: 'Upgrade', body };
}

/** At the root, for who opens the address that the service printed. */
export function welcomePage(base: string): ResultsPage {
  const body = html`<section class="signin"><h1>Tearsheet</h1>
<p>Pictures of ads standing in real pages.</p>
<p><a href="${base}/docs">API reference</a> (<a href="${base}/openapi.json">openapi.json</a>)</p>
<p>The pages of an organization, with its screenshot sets, are at <code>${base}/o/</code> and its name.</p></section>`;
  return { title: 'Welcome', body };
}

export function messagePage(title: string, text: string, status: number): ResultsPage {
  return { title, status, body: html`<section class="signin"><h1>${title}</h1><p>${text}</p></section>` };
}
