/** Pages that only say something. */
import type { Page } from './context.ts';
import { html } from './html.ts';

export function billingPage(slug: string, contact: string | undefined): Page {
  const body = html`<section class="signin"><h1>Keep using Tearsheet</h1>
<p>While an organization has no active subscription it is disabled: its requests are refused, and what it had asked for before is still finished and kept.</p>
<p>To upgrade <strong>${slug}</strong>, contact the operator of this service${contact === undefined ? '.' : html`: <strong>${contact}</strong>.`} Say the organization’s name; it works again at once when the operator has enabled it (<code>tearsheet org enable ${slug}</code>).</p></section>`;
  return { title: 'Upgrade', body };
}

export function messagePage(title: string, text: string, status: number): Page {
  return { title, status, body: html`<section class="signin"><h1>${title}</h1><p>${text}</p></section>` };
}
