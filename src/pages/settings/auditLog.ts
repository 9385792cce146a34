/** The audit log: the administrative actions of the organization, newest first, with filters in the address. */
import { COST } from '../../api/limits/costs.ts';
import { auditLogFilters } from '../../contract/queries.ts';
import { type AuditLogRow, listAuditLog } from '../../core/organizations/auditLogQueries.ts';
import { type ActorType, AUDIT_ACTIONS, type FieldChange } from '../../domain/auditLog.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { timeElement } from '../labels.ts';
import { type ListQuery, readListQuery } from '../lists/listQuery.ts';
import { pageLinks } from '../lists/pageLinks.ts';
import type { PageRoutes, ViewerRequest } from '../pageRoutes.ts';
import type { PagePaths } from '../paths.ts';
import { settingsPage } from './frame.ts';

export function addAuditLogRoutes(pages: PageRoutes): void {
  const options = { scope: 'admin', cost: COST.list } as const;
  pages.get('/o/:slug/settings/audit_log', (given) => auditLogPage(pages.options, given), options);
}

async function auditLogPage(
  { store: { db } }: PagesOptions,
  { request, viewer, paths }: Pick<ViewerRequest, 'request' | 'viewer' | 'paths'>,
): Promise<ResultsPage> {
  const query = readListQuery(request.query, { filters: auditLogFilters, sorts: ['newest'] });
  const { organizationId } = viewer;
  const found = await listAuditLog(db, { organizationId, ...query.filters }, query.page);
  const path = paths.settings('audit_log');
  const body = html`<section class="panel wide"><h2>Audit log</h2>
<p>Changes of keys, settings, webhooks, connectors and branding, deleted and shared sets, sign-ins and sign-outs. Nobody can change an entry.</p>
${filterForm(path, query)}
${found.rows.length === 0 ? noEntries(path, query) : table(found.rows, paths)}
${pageLinks(found, path, query)}</section>`;
  return settingsPage({ paths, current: 'audit_log', body });
}

function filterForm(path: string, query: ListQuery<unknown>): Html {
  const { given } = query;
  const option = ([name, text]: [string, string]) =>
    html`<option value="${name}"${name === given['action'] && html` selected`}>${text}</option>`;
  return html`<form class="filter" method="get" action="${path}" role="search" aria-label="Filter the audit log">
  <p class="wide"><label for="filter-action">Action</label><select id="filter-action" name="action"><option value="">All</option>${Object.entries(AUDIT_ACTIONS).map(option)}</select></p>
  ${field(query, { name: 'actor', label: 'Id of a key, operator or anonymous', type: 'text' })}
  ${field(query, { name: 'from', label: 'From (UTC)', type: 'date' })}
  ${field(query, { name: 'to', label: 'To (UTC)', type: 'date' })}
  <p class="do"><button>Filter</button>${query.isFiltered && html` <a href="${path}">Show all</a>`}</p>
</form>`;
}

function field(
  { given, faults }: ListQuery<unknown>,
  { name, label, type }: { name: string; label: string; type: 'text' | 'date' },
): Html {
  const [id, fault] = [`filter-${name}`, faults[name]];
  return html`<p><label for="${id}">${label}</label><input id="${id}" name="${name}" type="${type}" value="${given[name] ?? ''}" autocomplete="off" spellcheck="false"${fault !== undefined && html` aria-invalid="true" aria-describedby="${id}-fault"`}>${fault !== undefined && html`<span id="${id}-fault" class="fault">This ${fault}</span>`}</p>`;
}

function noEntries(path: string, { isFiltered, page }: ListQuery<unknown>): Html {
  return isFiltered || page.page > 1
    ? html`<p class="hint">No entry matches. <a href="${path}">Show all entries</a></p>`
    : html`<p class="hint">The audit log has no entries.</p>`;
}

function table(rows: readonly AuditLogRow[], paths: PagePaths): Html {
  return html`<table class="rows"><thead><tr><th>Time</th><th>Action</th><th>Actor</th><th>Changes</th></tr></thead>
<tbody>${rows.map((row) => entry(row, paths))}</tbody></table>`;
}

function entry(row: AuditLogRow, paths: PagePaths): Html {
  const { action, object_id: id, address, request_id: requestId } = row;
  return html`<tr>
  <td class="time">${timeElement(row.created_at)}</td>
  <td class="name">${AUDIT_ACTIONS[action]} <span class="meta">${id !== null && objectLink(row, id, paths)}</span></td>
  <td class="name">${actor(row, paths)} <span class="meta">${address !== null && html`from ${address}`}${requestId !== null && html`, request <code>${requestId}</code>`}</span></td>
  <td class="name">${row.changes.map(change)}</td>
</tr>`;
}

/** Sets have a page. Other objects are listed in the settings. */
function objectLink({ action }: AuditLogRow, id: string, paths: PagePaths): HtmlContent {
  return action.startsWith('screenshot_set.')
    ? html`<a href="${paths.set(id)}"><code>${id}</code></a>`
    : html`<code>${id}</code>`;
}

const ACTORS: Readonly<Record<ActorType, string>> = {
  api_key: 'Key',
  session: 'Session of',
  operator: 'Operator',
  anonymous: 'Not signed in',
  service: 'Tearsheet itself',
};

function actor({ actor_type: type, actor_key_id: keyId, actor_name: name }: AuditLogRow, paths: PagePaths): Html {
  if (keyId === null) return html`${ACTORS[type]}`;
  return html`${ACTORS[type]} <a href="${paths.settings('audit_log')}?actor=${keyId}"><bdi>${name || keyId}</bdi></a>`;
}

function change({ field: name, from, to }: FieldChange): Html {
  const text = from === null ? html`<bdi>${to}</bdi>` : html`<bdi>${from}</bdi> → <bdi>${to ?? 'none'}</bdi>`;
  return html`<span class="meta">${name}: ${text}</span>`;
}
