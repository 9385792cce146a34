/** Handler for the audit log of the organization. */
import { AuditLogQuery } from '../../../contract/queries.ts';
import { listAuditLog } from '../../../core/organizations/auditLogQueries.ts';
import { auditLogEntryRecord } from '../../../core/organizations/settingsJson.ts';
import { type Handler, readOrFail } from '../endpoint.ts';
import { listAnswer, placeOf } from '../listAnswer.ts';
import type { PublicApiOptions } from '../options.ts';

/** GET …/audit_log: newest first. */
export function auditLog({ store: { db } }: PublicApiOptions): Handler {
  return async ({ request, organizationId }) => {
    const query = readOrFail(AuditLogQuery, request.query);
    const { action, actor, from, to, after } = query;
    const place = await placeOf(db, 'audit_log', { organizationId, id: after });
    const filter = { organizationId, action, actor, from, to, after: place };
    return listAnswer(query, (page) => listAuditLog(db, filter, page), auditLogEntryRecord);
  };
}
