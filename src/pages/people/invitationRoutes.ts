/** The page of an invitation, on which a person accepts it. */
import type { Request, Response } from 'express';
import { actorOf } from '../../api/server/caller.ts';
import { acceptInvitation, findInvitation, type OpenInvitation, provesAddress } from '../../core/people/invitations.ts';
import type { Person } from '../../core/people/sessions.ts';
import { USER_NAME_MAX } from '../../core/people/users.ts';
import { ROLE_TEXTS } from '../../domain/roles.ts';
import { type Html, html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import { EMPTY_FORM, textField } from '../parts/formFields.ts';
import { formField, noticeOf, requireOwnForm, requireSameOrigin } from '../parts/forms.ts';
import { notePage } from '../parts/layout.ts';
import { pathsOf } from '../parts/paths.ts';
import { formBody, type PageRoutes } from '../routes/pageRoutes.ts';
import { findSignedIn, personFormToken } from '../signIn/viewer.ts';
import { signInWays, waysOf } from '../signIn/ways.ts';
import { startPersonSession } from './personSession.ts';

export function addInvitationRoutes({ options, router, send }: PageRoutes): void {
  const paths = pathsOf(options.publicUrl, '');
  const { db } = options.store;
  const tokenOf = (request: Request) => String(request.params['token']);
  const show = async (request: Request, response: Response) => {
    const invitation = await findInvitation(db, tokenOf(request));
    if (invitation === undefined) {
      const text =
        'It was accepted or withdrawn, or it is older than a week. Ask the person who invited you for a new one.';
      return send(response, notePage('This invitation is not valid', html`<p>${text}</p>`, 410), { paths });
    }
    const person = await findSignedIn(db, request);
    const path = `${paths.base}/invitations/${tokenOf(request)}`;
    const form = person === undefined ? strangerForm(invitation, path) : personForm(person, invitation, path);
    const { slug, role, email } = invitation;
    const text = html`<p>You are invited to the organization <strong class="org">${slug}</strong>
      as <strong>${role}</strong>, who ${ROLE_TEXTS[role]}. The invitation is for <bdi>${email}</bdi>.</p>${form}`;
    send(response, notePage('Join an organization', text), { paths, notice: noticeOf(request) });
  };
  /** A person whom the link alone does not prove signs in first. */
  const strangerForm = (invitation: OpenInvitation, path: string): Html => {
    if (!provesAddress(invitation))
      return html`<p>Sign in with this address first.</p>${signInWays(paths, waysOf(options), { next: path, email: invitation.email })}`;
    const name = {
      name: 'name',
      label: 'Your name',
      isRequired: true,
      max: USER_NAME_MAX,
      autocomplete: 'name',
    } as const;
    return html`<form method="post" action="${path}">${textField(name, EMPTY_FORM)}${button({ label: 'Join', kind: 'primary' })}</form>`;
  };
  const personForm = (person: Person, { email }: OpenInvitation, path: string): Html => {
    const token = html`<input type="hidden" name="form" value="${personFormToken(options.secret, person)}">`;
    if (person.email === email)
      return html`<form method="post" action="${path}">${token}${button({ label: 'Join', kind: 'primary' })}</form>`;
    return html`<p>You are signed in as <bdi>${person.name}</bdi>, with a different address. Sign out to accept the invitation.</p>
<form method="post" action="${paths.base}/account/sign-out">${token}${button({ label: 'Sign out' })}</form>`;
  };
  router.get('/invitations/:token', show);
  router.post('/invitations/:token', formBody(), async (request, response) => {
    const person = await findSignedIn(db, request);
    if (person === undefined) requireSameOrigin(request);
    else requireOwnForm(request, personFormToken(options.secret, person));
    const { to, isNew } = await db.transaction().execute(async (tx) => {
      const accepting = { token: tokenOf(request), person, name: formField(request, 'name') };
      const actor = (userId: string) => actorOf({ request, response }, { type: 'session', userId });
      const { userId, slug, isNew } = await acceptInvitation(tx, accepting, actor);
      const next = `${paths.base}/o/${slug}`;
      if (!isNew) return { isNew, to: next };
      const session = { userId, method: 'link', next } as const;
      return { isNew, to: await startPersonSession(tx, options, { request, response, paths }, session) };
    });
    if (isNew) options.countSignIn?.('link', 'signed_in');
    response.redirect(303, to);
  });
}
