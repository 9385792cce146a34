import type { InvitationRecord, MemberRecord } from '../../contract/members.ts';
import { timestamp } from '../../domain/time.ts';
import type { Invitation } from './invitations.ts';
import type { Member } from './members.ts';

export function memberRecord({ user_id, name, email, role, by_rule, created_at }: Member): MemberRecord {
  return { type: 'member', user_id, name, email, role, by_rule, created_at: timestamp(created_at) };
}

export function invitationRecord({ id, email, role, created_at, expires_at }: Invitation): InvitationRecord {
  const times = { created_at: timestamp(created_at), expires_at: timestamp(expires_at) };
  return { type: 'invitation', id, email, role, ...times };
}
