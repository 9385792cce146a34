import type { z } from 'zod';
import {
  InvitationRecord,
  MemberChange,
  MemberRecord,
  NewInvitation,
  SentInvitationRecord,
} from '../../../contract/members.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { listInvitations, withdrawInvitation } from '../../../core/people/invitations.ts';
import { invitationRecord, memberRecord } from '../../../core/people/memberJson.ts';
import { changeRole, listMembers, removeMember } from '../../../core/people/members.ts';
import { sendInvitation } from '../../../core/people/sendInvitation.ts';
import type { Page } from '../../../db/list.ts';
import { takeInvitation } from '../../limits/requestLimits.ts';
import { type Call, idOf, jsonResponse, type Route, refOf } from '../endpoint.ts';
import { listAnswer } from '../listAnswer.ts';
import { changes, idOfA, jsonBody, list, removes, route } from './operation.ts';

const ofUser = { user_id: idOfA('person') };
const memberOf = ({ request, organizationId }: Call) => ({ organizationId, userId: idOf(request, 'user_id') });

/** An organization has few members, so the part of the list is taken here. */
async function inPages<Row extends { readonly created_at: Date }>(
  query: z.output<typeof ListQuery>,
  rows: Promise<readonly Row[]>,
  item: (row: Row) => object,
) {
  const { from = new Date(0), to = new Date(8.64e15) } = query;
  const all = (await rows).filter(({ created_at: at }) => at >= from && at <= to);
  const part = ({ page, perPage }: Page) => all.slice((page - 1) * perPage, page * perPage);
  return listAnswer(query, async (page) => ({ rows: part(page), total: all.length }), item);
}

export const memberRoutes: readonly Route[] = [
  route('get /members', 'admin', {
    ...list('listMembers', 'List the members, by name', ListQuery, MemberRecord),
    handler: ({ query, organizationId }, { store }) =>
      inPages(query, listMembers(store.db, organizationId), memberRecord),
  }),
  route('patch /members/{user_id}', 'admin', {
    operationId: 'changeMember',
    summary: 'Change the role of a member',
    description: '409 for the last owner, and for a role that a rule assigns.',
    params: ofUser,
    body: jsonBody(MemberChange, { role: 'reviewer' }),
    answer: MemberRecord,
    failures: [409],
    handler: changes(
      (tx, call) => changeRole(tx, { ...memberOf(call), role: call.input.role }, call.actor),
      memberRecord,
    ),
  }),
  route('delete /members/{user_id}', 'admin', {
    operationId: 'removeMember',
    summary: 'Remove a member',
    description: 'This person loses access to the organization immediately. 409 for the last owner.',
    params: ofUser,
    answer: 'Removed.',
    failures: [409],
    handler: removes((tx, call) => removeMember(tx, memberOf(call), call.actor)),
  }),
  route('get /invitations', 'admin', {
    ...list('listInvitations', 'List the invitations that can be accepted, newest first', ListQuery, InvitationRecord),
    handler: ({ query, organizationId }, { store }) =>
      inPages(query, listInvitations(store.db, organizationId), invitationRecord),
  }),
  route('post /invitations', 'admin', {
    operationId: 'inviteMember',
    summary: 'Invite a person',
    description:
      'It can be accepted once, within seven days. A second invitation for an address replaces the first. 409 for a member.',
    body: jsonBody(NewInvitation, { email: 'ann@example.com', role: 'reviewer' }),
    status: 201,
    answer: SentInvitationRecord,
    failures: [409],
    handler: async ({ input, place, actor, organizationId }, { store: { db }, publicUrl, mailer }) => {
      const wanted = { ...input, organizationId, slug: place.slug };
      if (mailer !== undefined) await takeInvitation(db, { organizationId, email: wanted.email });
      const { invitation, url } = await sendInvitation({ db, publicUrl, mailer }, wanted, actor);
      const record = { ...invitationRecord(invitation), html_url: url ?? null };
      return jsonResponse(201, record satisfies SentInvitationRecord);
    },
  }),
  route('delete /invitations/{id}', 'admin', {
    operationId: 'withdrawInvitation',
    summary: 'Withdraw an invitation',
    description: 'Its link no longer works.',
    answer: 'Withdrawn.',
    handler: removes((tx, call) => withdrawInvitation(tx, refOf(call), call.actor)),
  }),
];
