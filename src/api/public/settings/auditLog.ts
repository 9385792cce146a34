/** Handler for the audit log of the organization. */
import { AuditLogQuery } from '../../../contract/queries.ts';
import { invalid } from '../../../domain/failure.ts';
import { hasAuditLogEntry, listAuditLog } from '../../../store/auditLog/auditLog.ts';
import { auditLogEntryRecord } from '../../presenters/settingRecords.ts';
import { type AuthorizedRequest, type JsonResponse, readOrFail } from '../endpoint.ts';
import { listAnswer } from '../listAnswer.ts';
import type { PublicApiOptions } from '../options.ts';

/** GET …/audit_log: newest first. */
export function auditLog({ store: { db } }: PublicApiOptions): (call: AuthorizedRequest) => Promise<JsonResponse> {
  return async ({ request, organizationId }) => {
    const query = readOrFail(AuditLogQuery, request.query);
    const { action, actor, from, to, after } = query;
    if (after !== undefined && !(await hasAuditLogEntry(db, { organizationId, id: after })))
      throw invalid({ after: ['is not the id of an entry of this audit log. It may have been removed by now.'] });
    const filter = { organizationId, action, actor, from, to, after };
    return listAnswer(query, (page) => listAuditLog(db, filter, page), auditLogEntryRecord);
  };
}
