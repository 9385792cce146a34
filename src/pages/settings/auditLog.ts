/** The audit log: the administrative actions of the organization, newest first, with filters in the address. */
import { COST } from '../../api/limits/costs.ts';
import { auditLogFilters } from '../../contract/queries.ts';
import { type AuditLogRow, listAuditLog } from '../../core/journal/auditLogQueries.ts';
import { readObjectNames } from '../../core/sets/objectNames.ts';
import { type ActorType, AUDIT_ACTIONS, type FieldChange } from '../../domain/auditLog.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { type Column, emptyState, table } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { timeElement } from '../parts/labels.ts';
import { namedLink, type ObjectNames } from '../parts/objectNames.ts';
import type { PagePaths } from '../parts/paths.ts';
import type { PageRoutes, ViewerRequest } from '../routes/pageRoutes.ts';
import { framedPage } from '../routes/settingsFrame.ts';
import { anyOf, DATES, filteredList } from '../tables/listParts.ts';
import { readListQuery } from '../tables/listQuery.ts';

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
  const names = await readObjectNames(db, { organizationId, ids: found.rows.flatMap(idsOf) });
  const path = paths.settings('audit_log');
  const fields = [
    { name: 'action', label: 'Action', choices: anyOf(AUDIT_ACTIONS) },
    { name: 'actor', label: 'Actor', placeholder: 'Id, operator or anonymous' },
    ...DATES,
  ];
  const none = emptyState({ title: 'No entries yet', text: 'Each change to the settings is recorded here.' });
  const list = table({ columns: columns(paths, names), rows: found.rows });
  const body = html`<p class="meta">Changes to keys, settings, webhooks, connectors and branding, deleted and shared sets,
sign-ins and sign-outs. Nobody can change an entry.</p>
${filteredList(query, found, { what: 'entries', path, fields, none, list })}`;
  return framedPage({ viewer, paths }, 'audit_log', { body });
}

/** The ids of the objects that an entry names. */
const idsOf = ({ object_id, changes }: AuditLogRow): (string | null)[] => [
  object_id,
  ...changes.flatMap(({ from, to }) => [from, to].flatMap((text) => text?.split(', ') ?? [])),
];

const columns = (paths: PagePaths, names: ObjectNames): Column<AuditLogRow>[] => [
  {
    label: 'Action',
    kind: 'main',
    cell: (row) => {
      const object = row.object_id !== null && objectLink(row, row.object_id, { paths, names });
      return html`${AUDIT_ACTIONS[row.action]}${object && html` <span class="meta">${object}</span>`}`;
    },
  },
  {
    label: 'Actor',
    cell: (row) => {
      const request = row.request_id !== null && html`, request <code>${row.request_id}</code>`;
      return html`${actor(row, paths)}<span class="meta">${row.address !== null && `from ${row.address}`}${request}</span>`;
    },
  },
  { label: 'Changes', cell: (row) => row.changes.map((one) => change(one, { paths, names })) },
  { label: 'Time', kind: 'time', cell: (row) => timeElement(row.created_at) },
];

interface Naming {
  readonly paths: PagePaths;
  readonly names: ObjectNames;
}

/** The types of objects that can be removed. Other objects, such as keys, are listed in the settings. */
const TYPES: Readonly<Record<string, string>> = {
  screenshot_set: 'set',
  ad: 'ad',
  campaign: 'campaign',
  schedule: 'schedule',
  share_link: 'share link',
};

function objectLink({ object_type }: AuditLogRow, id: string, naming: Naming): HtmlContent {
  const type = TYPES[object_type];
  return namedLink(id, { ...naming, ...(type !== undefined && { type }) });
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

function change({ field: name, from, to }: FieldChange, naming: Naming): Html {
  const [before, after] = [from, to].map((text) => text && html`<bdi>${named(text, naming)}</bdi>`);
  const text = from === null ? after : html`${before} → ${after ?? 'none'}`;
  return html`<span class="meta">${name}: ${text}</span>`;
}

/** A value may be a list of ids. */
function named(text: string, naming: Naming): HtmlContent {
  const ids = text.split(', ');
  if (!ids.every((id) => naming.names.has(id))) return text;
  return ids.map((id, index) => html`${index > 0 && ', '}${namedLink(id, naming)}`);
}
