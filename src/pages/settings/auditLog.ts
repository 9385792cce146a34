/** The audit log: the administrative actions of the organization, newest first, with filters in the address. */
import { COST } from '../../api/limits/costs.ts';
import { auditLogFilters } from '../../contract/queries.ts';
import { type AuditLogRow, listAuditLog } from '../../core/organizations/auditLogQueries.ts';
import { type ActorType, AUDIT_ACTIONS, type FieldChange } from '../../domain/auditLog.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { type Column, emptyState, table } from '../components.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { timeElement } from '../labels.ts';
import { anyOf, DATES, filteredList } from '../lists/listParts.ts';
import { readListQuery } from '../lists/listQuery.ts';
import type { PageRoutes, ViewerRequest } from '../pageRoutes.ts';
import type { PagePaths } from '../paths.ts';
import { framedPage } from './frame.ts';

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
  const fields = [
    { name: 'action', label: 'Action', choices: anyOf(AUDIT_ACTIONS) },
    { name: 'actor', label: 'Actor', placeholder: 'Id, operator or anonymous' },
    ...DATES,
  ];
  const none = emptyState({ title: 'No entries yet', text: 'Each change of the settings gets an entry here.' });
  const body = html`<p class="meta">Changes of keys, settings, webhooks, connectors and branding, deleted and shared sets, sign-ins and sign-outs. Nobody can change an entry.</p>
${filteredList(query, found, { what: 'entries', path, fields, none, list: table({ columns: columns(paths), rows: found.rows }) })}`;
  return framedPage({ viewer, paths }, 'audit_log', { body });
}

const columns = (paths: PagePaths): Column<AuditLogRow>[] => [
  {
    label: 'Action',
    kind: 'main',
    cell: (row) =>
      html`${AUDIT_ACTIONS[row.action]}${row.object_id !== null && html` <span class="meta">${objectLink(row, row.object_id, paths)}</span>`}`,
  },
  {
    label: 'Actor',
    cell: (row) =>
      html`${actor(row, paths)}<span class="meta">${row.address !== null && html`from ${row.address}`}${row.request_id !== null && html`, request <code>${row.request_id}</code>`}</span>`,
  },
  { label: 'Changes', cell: (row) => row.changes.map(change) },
  { label: 'Time', kind: 'time', cell: (row) => timeElement(row.created_at) },
];

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

function actor({ actor_type: type, actor_name: name, ...row }: AuditLogRow, paths: PagePaths): Html {
  const id = row.actor_user_id ?? row.actor_key_id;
  if (id === null) return html`${ACTORS[type]}`;
  return html`${ACTORS[type]} <a href="${paths.settings('audit_log')}?actor=${id}"><bdi>${name || id}</bdi></a>`;
}

function change({ field: name, from, to }: FieldChange): Html {
  const text = from === null ? html`<bdi>${to}</bdi>` : html`<bdi>${from}</bdi> → <bdi>${to ?? 'none'}</bdi>`;
  return html`<span class="meta">${name}: ${text}</span>`;
}
