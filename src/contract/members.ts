/** The members of an organization, and the people whom it invites. */
import { z } from 'zod';
import { ROLES } from '../domain/roles.ts';
import { EMAIL_MAX } from '../domain/text.ts';
import { time, uuid } from './records.ts';
import { OURS } from './schemaParts.ts';

const Role = z
  .enum(ROLES)
  .describe(
    '`owner` can do everything. `manager` requests, reviews and shares. `reviewer` reviews. `viewer` only reads.',
  );

export const MemberChange = z.object({ role: Role }).meta({ id: 'MemberChange', description: `A new role. ${OURS}` });

export const NewInvitation = z
  .object({
    email: z
      .string()
      .max(EMAIL_MAX, 'is too long.')
      .describe('The address of the person, who accepts with this address only.'),
    role: Role,
  })
  .meta({ id: 'NewInvitation', description: `A person to invite. ${OURS}` });

export const MemberRecord = z
  .object({
    type: z.literal('member'),
    user_id: uuid,
    name: z.string(),
    email: z.string().nullable().describe('Null if no address of this person is verified.'),
    role: Role,
    by_rule: z.boolean().describe('Whether a rule about groups or e-mail domains assigns the role, at each sign-in.'),
    created_at: time,
  })
  .meta({ id: 'Member', description: `A person in an organization. ${OURS}` });

export const InvitationRecord = z
  .object({
    type: z.literal('invitation'),
    id: uuid,
    email: z.string(),
    role: Role,
    created_at: time,
    expires_at: time,
  })
  .meta({ id: 'Invitation', description: `An invitation that has not been accepted yet. ${OURS}` });

export const SentInvitationRecord = InvitationRecord.extend({
  html_url: z.url().nullable().describe('The page of the invitation, to pass on. Null: it was sent by e-mail.'),
}).meta({ id: 'SentInvitation', description: `A new invitation. ${OURS}` });

export type MemberRecord = z.infer<typeof MemberRecord>;
export type InvitationRecord = z.infer<typeof InvitationRecord>;
export type SentInvitationRecord = z.infer<typeof SentInvitationRecord>;
