/** Settings, Members: who belongs to the organization, with which role, and who is invited. */
import { takeInvitation } from '../../api/limits/requestLimits.ts';
import { readOrFail } from '../../api/public/endpoint.ts';
import { MemberChange, NewInvitation } from '../../contract/members.ts';
import { countKeysOf } from '../../core/organizations/keyList.ts';
import { type Invitation, listInvitations, withdrawInvitation } from '../../core/people/invitations.ts';
import { changeRole, findMember, listMembers, type Member, removeMember } from '../../core/people/members.ts';
import { sendInvitation } from '../../core/people/sendInvitation.ts';
import { ROLE_TEXTS, ROLES } from '../../domain/roles.ts';
import { counted } from '../../domain/text.ts';
import { type Html, html } from '../../lib/html.ts';
import { badge, button, type Column, panel, table } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { answerForm, type Choice, EMPTY_FORM, type FormState, otherFaults } from '../parts/formFields.ts';
import { actionForm, formField, hiddenFields } from '../parts/forms.ts';
import { formTable, readForm, renderForm } from '../parts/formTable.ts';
import { timeElement } from '../parts/labels.ts';
import { ADMIN, idOf, type PageRoutes, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { addAction, addAskedAction, framedPage, secretPanel } from '../routes/settingsFrame.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

const INVITATION = formTable(NewInvitation, {
  email: { label: 'E-mail', hint: 'The invitation works once, for seven days. A second one replaces the first.' },
  role: {
    kind: 'select',
    label: 'Role',
    choices: ROLES.map((role): Choice => [role, `${role}: ${ROLE_TEXTS[role]}`]),
    value: 'reviewer',
  },
});

export function addMemberRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const at = (rest = '') => ({ page: 'members', path: `/o/:slug/settings/members${rest}` }) as const;
  const again = (given: ViewerRequest, action: FormState) => membersPage(options, given, { action });
  const memberOf = ({ request, viewer }: ViewerRequest) => ({
    ...{ organizationId: viewer.organizationId, userId: idOf(request) },
  });
  pages.get(at().path, (given) => membersPage(options, given), ADMIN);
  pages.post(
    at().path,
    (given) =>
      answerForm(given, {
        run: () => inviteOne(options, given),
        again: (invitation) => membersPage(options, given, { invitation }),
      }),
    ADMIN,
  );
  addAction(pages, at('/:id/role'), {
    read: ({ request }) => readOrFail(MemberChange, { role: formField(request, 'role') }),
    act: (tx, given, { role }) => changeRole(tx, { ...memberOf(given), role }, given.actor),
    again,
  });
  addAskedAction(pages, at('/:id/remove'), {
    ask: (given) => removal(options, given, memberOf(given)),
    act: (tx, given) => removeMember(tx, memberOf(given), given.actor),
    ...{ again, notice: 'member_removed' },
  });
  addAction(
    pages,
    { page: 'members', path: '/o/:slug/settings/invitations/:id/withdraw' },
    {
      act: (tx, given) => withdrawInvitation(tx, refOf(given), given.actor),
    },
  );
}

async function inviteOne(options: PagesOptions, given: ViewerRequest): Promise<ResultsPage> {
  const { request, viewer, actor } = given;
  const { publicUrl, mailer } = options;
  const { organizationId, slug } = viewer;
  const wanted = { organizationId, slug, ...readForm(INVITATION, request) };
  if (mailer !== undefined) await takeInvitation(options.store.db, { ...viewer, email: wanted.email });
  const { invitation, url } = await sendInvitation({ db: options.store.db, publicUrl, mailer }, wanted, actor);
  return membersPage(options, given, { sent: { email: invitation.email, url } });
}

interface MembersOptions {
  /** The form that invites. */
  readonly invitation?: FormState;
  /** The form of an action on a member. */
  readonly action?: FormState;
  readonly sent?: { readonly email: string; readonly url: string | undefined };
}

async function membersPage(
  { store, provider, mailer }: PagesOptions,
  given: Given,
  { invitation = EMPTY_FORM, action = EMPTY_FORM, sent }: MembersOptions = {},
): Promise<ResultsPage> {
  const { viewer, paths } = given;
  const { organizationId } = viewer;
  const [members, invitations] = await Promise.all([
    listMembers(store.db, organizationId),
    listInvitations(store.db, organizationId),
  ]);
  const nobody = html`<p class="hint">No members yet: people sign in with an API key. Invite the first owner.</p>`;
  const noWay =
    provider === undefined &&
    mailer === undefined &&
    html`<p class="note warnings">Invited people cannot sign in yet.
The operator of this service must first set up a mail server or an identity provider.</p>`;
  const frame = { viewer, page: paths.settings('members'), form: invitation };
  const body = html`${sent && sentPanel(sent)}${otherFaults(action.errors, [])}${noWay}
${members.length === 0 ? nobody : table({ columns: memberColumns(given), rows: members })}
${invitations.length > 0 && panel('Invited', table({ columns: invitationColumns(given), rows: invitations }))}
${panel('Invite a person', renderForm(INVITATION, { ...frame, submit: 'Invite' }), { id: 'invite' })}`;
  return framedPage(given, 'members', { body, status: invitation.status ?? action.status });
}

function sentPanel({ email, url }: NonNullable<MembersOptions['sent']>): Html {
  if (url === undefined) {
    const mailed = html`<p>An e-mail with the invitation is on its way to <bdi>${email}</bdi>.</p>`;
    return panel('Invitation created', mailed, { status: true });
  }
  const text = html`Send this link to <bdi>${email}</bdi>. Only a person who signs in with this address can accept it.
It is not shown again.`;
  return secretPanel('Invitation created', text, { value: url, label: 'Invitation link' });
}

function memberColumns({ viewer, paths }: Given): Column<Member>[] {
  const path = paths.settings('members');
  return [
    {
      label: 'Name',
      kind: 'main',
      cell: ({ user_id, name, email }) =>
        html`<strong><bdi>${name}</bdi></strong>${user_id === viewer.userId && html` ${badge('active', 'You')}`}
<span class="meta"><bdi>${email ?? 'no verified address'}</bdi></span>`,
    },
    {
      label: 'Role',
      cell: ({ user_id, name, role, by_rule }) => {
        if (by_rule) return html`${role} <span class="meta">by a rule of the operator</span>`;
        const options = ROLES.map(
          (one) => html`<option value="${one}"${one === role && html` selected`}>${one}</option>`,
        );
        return html`<form class="bar" method="post" action="${path}/${user_id}/role">${hiddenFields(viewer, path)}
<select name="role" aria-label="Role of ${name}">${options}</select> ${button({ label: 'Change' })}</form>`;
      },
    },
    { label: 'Since', kind: 'time', cell: (row) => timeElement(row.created_at) },
    {
      label: 'Action',
      kind: 'action',
      cell: ({ user_id, name }) =>
        html`<a href="${path}/${user_id}/remove">Remove<span class="hidden"> ${name}</span></a>`,
    },
  ];
}

function invitationColumns({ viewer, paths }: Given): Column<Invitation>[] {
  const path = paths.settings('invitations');
  return [
    { label: 'E-mail', kind: 'main', cell: ({ email }) => html`<bdi>${email}</bdi>` },
    { label: 'Role', cell: ({ role }) => role },
    { label: 'Until', kind: 'time', cell: (row) => timeElement(row.expires_at) },
    {
      label: 'Action',
      kind: 'action',
      cell: ({ id }) => actionForm({ viewer, action: `${path}/${id}/withdraw`, next: path, label: 'Withdraw' }),
    },
  ];
}

/** Asks before a member is removed. @returns undefined if the organization has no such member. */
async function removal(
  { store }: PagesOptions,
  { paths }: Given,
  ref: { readonly organizationId: string; readonly userId: string },
) {
  const member = await findMember(store.db, ref);
  if (member === undefined) return undefined;
  const keys = await countKeysOf(store.db, ref);
  const left =
    keys > 0 &&
    html`<p class="note warnings">${counted(keys, 'API key')} that this person created ${keys === 1 ? 'stays' : 'stay'} valid,
because programs may use them. <a href="${paths.settings('keys')}">Revoke those that no program needs</a>.</p>`;
  const rule =
    member.by_rule &&
    html`<p class="note warnings">A rule of the operator grants this membership. It is restored at the next sign-in,
unless the provider removes the person from the group.</p>`;
  const text = html`<p><bdi>${member.name}</bdi> loses access immediately. Reviews and comments keep the name.</p>${left}${rule}`;
  return { question: html`Remove <bdi>${member.name}</bdi>?`, text, button: 'Remove the member' };
}
