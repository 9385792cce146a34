import { InvitationRecord, MemberRecord } from '../../contract/members.ts';
import { recordOf } from '../../contract/recordOf.ts';
import type { Invitation } from './invitations.ts';
import type { Member } from './members.ts';

export const memberRecord = (row: Member): MemberRecord => recordOf(MemberRecord, row, {});

export const invitationRecord = (row: Invitation): InvitationRecord => recordOf(InvitationRecord, row, {});
