/** The mails with which people sign in and join. Each says everything as text too. */
import { unlinkedText } from '../../domain/notices.ts';
import type { Role } from '../../domain/roles.ts';
import { html } from '../../lib/html.ts';
import type { Mail } from '../../mail/mailer.ts';
import { INVITATION_DAYS } from './invitations.ts';
import { LINK_MINUTES } from './signInLinks.ts';

interface LinkMail {
  readonly to: string;
  readonly subject: string;
  /** The purpose of the link, above it. */
  readonly before: string;
  readonly label: string;
  readonly url: string;
  readonly after: string;
}

function linkMail({ to, subject, before, label, url, after }: LinkMail): Mail {
  const body = html`<p>${before}</p><p><a href="${url}">${label}</a></p><p>${after}</p>`;
  return { to, subject, text: `${before}\n\n${url}\n\n${after}\n`, html: body.text };
}

export function signInMail(to: string, url: string): Mail {
  return linkMail({
    to,
    url,
    subject: 'Sign in to Tearsheet',
    before: 'This link signs you in to Tearsheet. It was requested on the sign-in page.',
    label: 'Sign in',
    after: `Open it within ${LINK_MINUTES} minutes, in the browser in which you requested it. It works once. If you did not request it, ignore this e-mail.`,
  });
}

export function invitationMail(
  { email, role }: { readonly email: string; readonly role: Role },
  { slug, url, by }: { readonly slug: string; readonly url: string; readonly by: string | null },
): Mail {
  return linkMail({
    to: email,
    url,
    subject: `Invitation to ${slug} on Tearsheet`,
    before: `${by === null ? 'An administrator' : unlinkedText(by)} invites you to the organization ${slug} on Tearsheet, as ${role}. Tearsheet shows ads in their places on web pages.`,
    label: 'Open the invitation',
    after: `The invitation is for ${email}, works once, and expires in ${INVITATION_DAYS} days. If you were not expecting it, ignore this e-mail.`,
  });
}
