import { z } from 'zod';
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
import { COST } from '../../limits/costs.ts';
import { takeInvitation } from '../../limits/requestLimits.ts';
import { type Call, idOf, jsonResponse, NO_CONTENT, type Route, readOrFail, refOf } from '../endpoint.ts';
import { listAnswer } from '../listAnswer.ts';
import { ADMIN, BODY_FAILURES, emptyResponses, jsonBody, list, organization, responses, withId } from './operation.ts';

const TAGS = ['Members'];
const ofUser = z.object({ ...organization, user_id: z.uuid().describe('Id of the person.') });
const memberOf = ({ request, organizationId }: Call) => ({ organizationId, userId: idOf(request, 'user_id') });

/** An organization has few members, so the part of the list is taken here. */
async function inPages<Row extends { readonly created_at: Date }>(
  call: Call,
  rows: Promise<readonly Row[]>,
  item: (row: Row) => object,
) {
  const query = readOrFail(ListQuery, call.request.query);
  const { from = new Date(0), to = new Date(8.64e15) } = query;
  const all = (await rows).filter(({ created_at: at }) => at >= from && at <= to);
  const part = ({ page, perPage }: Page) => all.slice((page - 1) * perPage, page * perPage);
  return listAnswer(query, async (page) => ({ rows: part(page), total: all.length }), item);
}

export const memberRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/members',
    scope: 'admin',
    cost: COST.list,
    operation: {
      ...list('listMembers', 'List the members, by name', ListQuery, MemberRecord),
      tags: TAGS,
      description: ADMIN,
    },
    handler: (call, { store }) => inPages(call, listMembers(store.db, call.organizationId), memberRecord),
  },
  {
    method: 'patch',
    path: '/members/{user_id}',
    scope: 'admin',
    operation: {
      operationId: 'changeMember',
      summary: 'Change the role of a member',
      description: `409 for the last owner, and for a role that a rule gives. ${ADMIN}`,
      tags: TAGS,
      requestParams: { path: ofUser },
      requestBody: jsonBody(MemberChange, { role: 'reviewer' }),
      responses: responses(200, MemberRecord, [...BODY_FAILURES, 409]),
    },
    handler: async (call, { store }) => {
      const { role } = readOrFail(MemberChange, call.body.value);
      const wanted = { ...memberOf(call), role };
      const member = await store.db.transaction().execute((tx) => changeRole(tx, wanted, call.actor));
      return jsonResponse(200, memberRecord(member));
    },
  },
  {
    method: 'delete',
    path: '/members/{user_id}',
    scope: 'admin',
    operation: {
      operationId: 'removeMember',
      summary: 'Remove a member',
      description: `The next request of this person opens nothing in the organization. 409 for the last owner. ${ADMIN}`,
      tags: TAGS,
      requestParams: { path: ofUser },
      responses: emptyResponses('Removed.', [409]),
    },
    handler: async (call, { store }) => {
      await store.db.transaction().execute((tx) => removeMember(tx, memberOf(call), call.actor));
      return NO_CONTENT;
    },
  },
  {
    method: 'get',
    path: '/invitations',
    scope: 'admin',
    cost: COST.list,
    operation: {
      ...list(
        'listInvitations',
        'List the invitations that can be accepted, newest first',
        ListQuery,
        InvitationRecord,
      ),
      tags: TAGS,
      description: ADMIN,
    },
    handler: (call, { store }) => inPages(call, listInvitations(store.db, call.organizationId), invitationRecord),
  },
  {
    method: 'post',
    path: '/invitations',
    scope: 'admin',
    operation: {
      operationId: 'inviteMember',
      summary: 'Invite a person',
      description: `The person accepts it once, within seven days. A second invitation of an address replaces the first one. 409 for a member. ${ADMIN}`,
      tags: TAGS,
      requestParams: { path: z.object(organization) },
      requestBody: jsonBody(NewInvitation, { email: 'ann@example.com', role: 'reviewer' }),
      responses: responses(201, SentInvitationRecord, [...BODY_FAILURES, 409]),
    },
    handler: async ({ body, place, actor, organizationId }, { store: { db }, publicUrl, mailer }) => {
      const wanted = { ...readOrFail(NewInvitation, body.value), slug: place.slug };
      if (mailer !== undefined) await takeInvitation(db, { organizationId, email: wanted.email });
      const { invitation, url } = await sendInvitation({ db, publicUrl, mailer }, wanted, actor);
      const record = { ...invitationRecord(invitation), html_url: url ?? null };
      return jsonResponse(201, record satisfies SentInvitationRecord);
    },
  },
  {
    method: 'delete',
    path: '/invitations/{id}',
    scope: 'admin',
    operation: {
      operationId: 'withdrawInvitation',
      summary: 'Withdraw an invitation',
      description: `Its link then does nothing. ${ADMIN}`,
      tags: TAGS,
      requestParams: { path: withId('invitation') },
      responses: emptyResponses('Withdrawn.'),
    },
    handler: async (call, { store }) => {
      await store.db.transaction().execute((tx) => withdrawInvitation(tx, refOf(call), call.actor));
      return NO_CONTENT;
    },
  },
];
