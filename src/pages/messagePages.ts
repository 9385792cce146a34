/** Pages that only show a text. */
import type { ResultsPage } from './context.ts';
import { html } from './html.ts';

export function billingPage(slug: string, contact: string | undefined): ResultsPage {
  const body = html`<section class="signin"><h1>Keep using Tearsheet</h1>
<p>An organization without an active subscription is disabled. The service rejects its requests, but finishes and keeps what it accepted before.</p>
<p>To upgrade <strong>${slug}</strong>, contact the operator of this service${contact === undefined ? '.' : html`: <strong>${contact}</strong>.`} Give the name of the organization. Access returns as soon as the operator enables it (<code>tearsheet org enable ${slug}</code>).</p></section>`;
  return { title: 'Upgrade', body };
}

/** The page at the root, for people who are not signed in. @param wanted what the person typed, if it is no name of an organization. */
export function welcomePage(base: string, wanted?: string): ResultsPage {
  const body = html`<section class="signin"><h1>Tearsheet</h1>
<p>Placement previews: pictures of ads in slots of live pages.</p>
<form method="get" action="${base}/"><label for="organization">Your organization</label>
<input id="organization" name="organization" required maxlength="63" autocapitalize="none" autocomplete="organization" spellcheck="false" value="${wanted ?? ''}"${wanted !== undefined && html` aria-invalid="true" aria-describedby="fault"`}>
${wanted !== undefined && html`<p id="fault" class="fault" role="alert">The name of an organization has only lower-case letters, digits and hyphens, for example <code>acme</code>.</p>`}
<button class="primary">Continue</button></form>
<p><a href="${base}/docs">API reference</a> (<a href="${base}/openapi.json">openapi.json</a>)</p>
</section>`;
  return { title: 'Welcome', body };
}

export function messagePage(title: string, text: string, status: number): ResultsPage {
  return { title, status, body: html`<section class="signin"><h1>${title}</h1><p>${text}</p></section>` };
}

const linkPage = (title: string, text: string, status: number): ResultsPage => ({
  ...messagePage(title, text, status),
  isShared: true,
});

const ASK = 'Ask the person who sent it for a new one.';
/** The pages of links that show nothing. They do not name the organization or the set. */
export const EXPIRED_LINK = linkPage(
  'This link has expired',
  `Links to pictures are valid for a limited time. ${ASK}`,
  410,
);
export const REMOVED_PICTURES = linkPage(
  'These pictures were removed',
  'Their owner deleted them, or keeps pictures for a limited time only.',
  410,
);
export const REVOKED_LINK = linkPage('This link was revoked', `The sender has withdrawn this link. ${ASK}`, 410);
export const FORMER_LINK = linkPage('This link is no longer valid', ASK.replace('it', 'this link'), 410);
export const UNKNOWN_LINK = linkPage(
  'There is nothing at this address',
  'Check that the link is complete. A link in a message is sometimes cut at the end of a line.',
  404,
);
export const UNAVAILABLE_LINK = linkPage('These pictures are not available at the moment', 'Try again later.', 403);
