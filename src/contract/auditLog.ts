/** Records of the audit log. */
import { z } from 'zod';
import { ACTOR_TYPES, AUDIT_ACTION_NAMES } from '../domain/auditLog.ts';
import { OURS } from './descriptions.ts';
import { time } from './records.ts';

const Actor = z
  .object({
    type: z
      .enum(ACTOR_TYPES)
      .describe(
        '`api_key`: a program with a key. `session`: a person who signed in with a key. `operator`: the command line of the operator. `anonymous`: a person whose sign-in was refused. `service`: the service itself.',
      ),
    key_id: z.string().nullable().describe('Id of the API key that was used.'),
    name: z.string().nullable().describe('The name of that key.'),
  })
  .meta({ id: 'AuditLogActor', description: `The actor of the action. ${OURS}` });

const Change = z
  .object({
    field: z.string(),
    from: z.string().nullable().describe('Null if the field had no value before.'),
    to: z.string().nullable().describe('Null if the field has no value any more.'),
  })
  .meta({ id: 'AuditLogChange', description: `A field that the action changed, as text without secrets. ${OURS}` });

export const AuditLogEntryRecord = z
  .object({
    type: z.literal('audit_log_entry'),
    id: z.uuid(),
    created_at: time,
    actor: Actor,
    action: z.enum(AUDIT_ACTION_NAMES).describe('New actions may be added at any time.'),
    object: z
      .object({
        type: z.string().describe('The first part of the action.'),
        id: z.string().nullable().describe('Null if the object has no id.'),
      })
      .describe('The object that the action changed.'),
    changes: z.array(Change),
    ip_address: z.string().nullable().describe('Address of the client. Null for the command line of the operator.'),
    request_id: z.string().nullable().describe('As in the header `X-Request-Id` and in the log of the service.'),
  })
  .meta({ id: 'AuditLogEntry', description: `One administrative action. ${OURS}` });

export type AuditLogEntryRecord = z.infer<typeof AuditLogEntryRecord>;
