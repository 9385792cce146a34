/** All deliveries of an organization, newest first. */
import { DeliveriesQuery, uuid } from '../../contract/queries.ts';
import { readObjectNames } from '../../core/sets/objectNames.ts';
import { type DeliveryRow, listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import { EVENT_TOPICS } from '../../domain/topics.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, type Column, emptyState, linkButton, table } from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { deliveryLabel, timeElement } from '../parts/labels.ts';
import { namedLink, type ObjectNames } from '../parts/objectNames.ts';
import type { PagePaths } from '../parts/paths.ts';
import type { ViewerRequest } from '../routes/pageRoutes.ts';
import { framedPage } from '../routes/settingsFrame.ts';
import { anyOf, DATES, filteredList } from '../tables/listParts.ts';
import { readListQuery } from '../tables/listQuery.ts';

const { status, topic, channel, from, to } = DeliveriesQuery.shape;
const DEFINITION = {
  filters: { status, topic, channel, set: uuid.optional(), ad: uuid.optional(), from, to },
  sorts: ['newest'],
} as const;

/** Shorter parts are names. Longer ones with letters and digits are often secrets, as in the addresses of chat services. */
const SECRET_LENGTH = 16;

const STATUS_NAMES = {
  pending: 'Waiting or retrying',
  delivered: 'Delivered',
  retries_exhausted: 'Failed',
  gone: 'Stopped by the receiver',
  refused: 'Address not allowed',
} as const;
export const CHANNEL_NAMES = { webhook: 'Webhook', s3: 'S3', email: 'E-mail', chat: 'Chat' } as const;

export async function deliveryListPage(
  { store }: PagesOptions,
  { request, viewer, paths }: Pick<ViewerRequest, 'request' | 'viewer' | 'paths'>,
): Promise<ResultsPage> {
  const query = readListQuery(request.query, DEFINITION);
  const { set: setId, ad: adId, ...others } = query.filters;
  const filter = { organizationId: viewer.organizationId, setId, adId, ...others };
  const found = await listDeliveries(store.db, filter, query.page);
  const names = await namesOf(store, viewer, found.rows);
  const path = paths.deliveries;
  const fields = [
    { name: 'status', label: 'Status', choices: anyOf(STATUS_NAMES) },
    { name: 'topic', label: 'Event', choices: anyOf(Object.fromEntries(EVENT_TOPICS.map((name) => [name, name]))) },
    { name: 'channel', label: 'Channel', choices: anyOf(CHANNEL_NAMES) },
    { name: 'set', label: 'Set id' },
    ...(adId === undefined ? [] : [{ name: 'ad', label: 'Ad id' }]),
    ...DATES,
  ];
  const list = table({ columns: columns({ paths, names }), rows: found.rows });
  const none = noDeliveries(viewer.scopes, paths);
  const body = html`<p class="meta">Events that the service sends to webhooks and buckets,
  and notices to members and chats, newest first.</p>
${filteredList(query, found, { what: 'deliveries', path, fields, none, list })}`;
  return framedPage({ viewer, paths }, 'deliveries', { body });
}

function noDeliveries(scopes: readonly string[], paths: PagePaths): Html {
  return emptyState({
    title: 'No deliveries yet',
    text: html`A request names its receivers: webhooks and buckets. When its set is approved, each receives an event.
      The delivery is listed here with all attempts.`,
    action:
      scopes.includes('admin') &&
      linkButton({ href: paths.settings('webhooks'), label: 'Send a test event to a webhook' }),
  });
}

export interface Naming {
  readonly paths: PagePaths;
  readonly names: ObjectNames;
}

export const namesOf = (
  { db }: PagesOptions['store'],
  { organizationId }: Viewer,
  rows: readonly Pick<DeliveryRow, 'set_id' | 'ad_id'>[],
): Promise<ObjectNames> =>
  readObjectNames(db, { organizationId, ids: rows.flatMap(({ set_id, ad_id }) => [set_id, ad_id]) });

const columns = ({ paths, names }: Naming): Column<DeliveryRow>[] => [
  {
    label: 'Event',
    kind: 'main',
    cell: (row) =>
      html`<a href="${paths.delivery(row.id)}">${row.topic}</a> <span class="meta">${subjectLink(row, { paths, names })}</span>`,
  },
  { label: 'Status', cell: (row) => badge(row.status, deliveryLabel(row)) },
  {
    label: 'Target',
    cell: (row) =>
      html`<code>${shownTarget(row.target)}</code> <span class="meta">${CHANNEL_NAMES[row.channel]}</span>`,
  },
  { label: 'Attempts', cell: (row) => html`${row.attempts}${lastAnswer(row)}` },
  { label: 'Created', kind: 'time', cell: (row) => timeElement(row.created_at) },
];

export function subjectLink({ set_id, ad_id }: Pick<DeliveryRow, 'set_id' | 'ad_id'>, naming: Naming): HtmlContent {
  if (set_id !== null) return html`Set ${namedLink(set_id, { ...naming, type: 'set' })}`;
  return ad_id !== null && html`Ad ${namedLink(ad_id, { ...naming, type: 'ad' })}`;
}

function lastAnswer({ log, status, next_attempt_at }: DeliveryRow): HtmlContent {
  const code = log.at(-1)?.status_code;
  const isWaiting = status === 'pending' && log.length > 0 && next_attempt_at !== null;
  const answer = typeof code === 'number' && html`<span class="meta">, last answer ${code}</span>`;
  return html`${answer}${isWaiting && html`<span class="meta">, next ${timeElement(next_attempt_at)}</span>`}`;
}

/** @returns the target without its query and without parts of its path that look like secrets. */
export function shownTarget(target: string): string {
  const url = URL.parse(target);
  if (url === null || url.protocol === 's3:') return target;
  const path = url.pathname.split('/').map(hideSecret).join('/');
  return `${url.protocol}//${url.host}${path}${url.search === '' ? '' : '?…'}`;
}

function hideSecret(part: string): string {
  const isSecret = part.length >= SECRET_LENGTH && /\d/.test(part) && /[a-z]/i.test(part);
  return isSecret ? `${part.slice(0, 4)}…` : part;
}
