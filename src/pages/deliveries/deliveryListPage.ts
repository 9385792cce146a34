/** All deliveries of an organization, newest first. */

import type { Request } from 'express';
import { type DeliveryFilter, type DeliveryRow, listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import { TOTAL_MOST } from '../../db/list.ts';
import { isUuid } from '../../domain/slugs.ts';
import { EVENT_TOPICS } from '../../domain/topics.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { deliveryLabel, timeElement } from '../labels.ts';
import { readTime } from '../lists/listQuery.ts';
import { pageParameters } from '../lists/pageLinks.ts';
import { pageOf } from '../pageRoutes.ts';
import { numberedPages } from '../parts.ts';
import { addressOf, type PagePaths } from '../paths.ts';

const STATUSES = ['pending', 'delivered', 'retries_exhausted', 'gone', 'refused'] as const;
const CHANNELS = ['webhook', 's3'] as const;

interface DeliveryQuery {
  readonly page: number;
  readonly status?: (typeof STATUSES)[number] | undefined;
  readonly topic?: (typeof EVENT_TOPICS)[number] | undefined;
  readonly channel?: (typeof CHANNELS)[number] | undefined;
  readonly set?: string | undefined;
  readonly ad?: string | undefined;
  /** The time at which the reader opened the first list page, so that new deliveries do not move those on later ones. */
  readonly until?: Date | undefined;
}

/** Shorter parts are names. Longer ones with letters and digits are often secrets, as in the addresses of chat services. */
const SECRET_LENGTH = 16;

const PER_PAGE = 50;
const STATUS_NAMES = {
  pending: 'Waiting or retrying',
  delivered: 'Delivered',
  retries_exhausted: 'Failed',
  gone: 'Stopped by the receiver',
  refused: 'Address not allowed',
} as const;
export const CHANNEL_NAMES = { webhook: 'Webhook', s3: 'S3' } as const;

interface Given {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly query: DeliveryQuery;
}

export async function deliveryListPage({ store }: PagesOptions, given: Given): Promise<ResultsPage> {
  const { viewer, paths, query } = given;
  const until = query.until ?? new Date();
  const filter = filterOf({ ...query, until: query.page === 1 ? undefined : until }, viewer.organizationId);
  const { rows, total } = await listDeliveries(store.db, filter, { page: query.page, perPage: PER_PAGE });
  const pages = numberedPages({
    page: query.page,
    pages: Math.ceil(total / PER_PAGE),
    addressOf: (page) => listPageAddress(paths.deliveries, query, { page, until }),
    labels: { before: 'Newer', after: 'Older' },
    isOpen: total >= TOTAL_MOST,
  });
  const body = html`<section class="head"><h1>Deliveries</h1>
<p class="meta">Events that the service sends to webhooks and buckets, newest first.</p></section>
${filterForm(paths.deliveries, query)}
${rows.length === 0 ? emptyList(given) : table(rows, paths)}
${pages}`;
  return { title: 'Deliveries', body, section: 'deliveries', assets: ['settings.css'] };
}

function filterForm(path: string, query: DeliveryQuery): Html {
  const { status, topic, channel, set, ad } = query;
  return html`<form class="filter" method="get" action="${path}" role="search" aria-label="Filter the deliveries">
  ${choice('status', 'Status', { value: status, names: STATUSES.map((name) => [name, STATUS_NAMES[name]]) })}
  ${choice('topic', 'Topic', { value: topic, names: EVENT_TOPICS.map((name) => [name, name]) })}
  ${choice('channel', 'Channel', { value: channel, names: CHANNELS.map((name) => [name, CHANNEL_NAMES[name]]) })}
  <p class="wide"><label for="filter-set">Id of a set</label><input id="filter-set" name="set" value="${set ?? ''}" autocomplete="off" spellcheck="false"></p>
  ${ad !== undefined && html`<p class="wide"><label for="filter-ad">Id of an ad</label><input id="filter-ad" name="ad" value="${ad}" autocomplete="off" spellcheck="false"></p>`}
  <p class="do"><button>Filter</button>${hasFilter(query) && html` <a href="${path}">Show all</a>`}</p>
</form>`;
}

function choice(
  name: string,
  label: string,
  { value, names }: { value: string | undefined; names: readonly (readonly [string, string])[] },
): Html {
  const option = ([key, text]: readonly [string, string]) =>
    html`<option value="${key}"${key === value && html` selected`}>${text}</option>`;
  return html`<p><label for="filter-${name}">${label}</label><select id="filter-${name}" name="${name}"><option value="">All</option>${names.map(option)}</select></p>`;
}

function emptyList({ viewer, paths, query }: Given): Html {
  if (hasFilter(query) || query.page > 1)
    return html`<p class="hint">No delivery matches. <a href="${paths.deliveries}">Show all deliveries</a></p>`;
  const isAdmin = viewer.scopes.includes('admin');
  return html`<section class="panel"><h2>No deliveries yet</h2>
<p>A request names its receivers in <code>subscribers</code>: webhooks and buckets. When its set is approved, they get an event, and the delivery is listed here with each attempt.</p>
${isAdmin && html`<p><a href="${paths.settings('webhooks')}">Send a test event to a webhook</a></p>`}</section>`;
}

function table(rows: readonly DeliveryRow[], paths: PagePaths): Html {
  return html`<table class="rows"><thead><tr><th>Status</th><th>Event</th><th>Target</th><th>Attempts</th><th>Created</th></tr></thead>
<tbody>${rows.map((row) => item(row, paths))}</tbody></table>`;
}

function item(row: DeliveryRow, paths: PagePaths): Html {
  return html`<tr>
  <td><span class="state ${row.status}">${deliveryLabel(row)}</span></td>
  <td class="name"><a href="${paths.delivery(row.id)}">${row.topic}</a> <span class="meta">${subjectLink(row, paths)}</span></td>
  <td class="target"><span class="meta">${CHANNEL_NAMES[row.channel]}</span> <code>${shownTarget(row.target)}</code></td>
  <td>${row.attempts}<span class="narrow">${row.attempts === 1 ? ' attempt' : ' attempts'}</span>${lastAnswer(row)}</td>
  <td class="time">${timeElement(row.created_at)}</td>
</tr>`;
}

export function subjectLink({ set_id, ad_id }: Pick<DeliveryRow, 'set_id' | 'ad_id'>, paths: PagePaths): HtmlContent {
  if (set_id !== null) return html`<a href="${paths.set(set_id)}">Set ${set_id.slice(0, 8)}</a>`;
  return ad_id !== null && html`<a href="${paths.ad(ad_id)}">Ad ${ad_id.slice(0, 8)}</a>`;
}

function lastAnswer({ log, status, next_attempt_at }: DeliveryRow): HtmlContent {
  const code = log.at(-1)?.status_code;
  const isWaiting = status === 'pending' && log.length > 0 && next_attempt_at !== null;
  return html`${typeof code === 'number' && html`<span class="meta">, last answer ${code}</span>`}${isWaiting && html`<span class="meta">, next ${timeElement(next_attempt_at)}</span>`}`;
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

/** A value that a filter does not know counts as no filter. */
export function readDeliveryQuery(request: Pick<Request, 'query'>): DeliveryQuery {
  const value = (name: string) => {
    const given = request.query[name];
    return typeof given === 'string' ? given.trim() : '';
  };
  return {
    page: pageOf(request),
    status: STATUSES.find((status) => status === value('status')),
    topic: EVENT_TOPICS.find((topic) => topic === value('topic')),
    channel: CHANNELS.find((channel) => channel === value('channel')),
    set: isUuid(value('set')) ? value('set').toLowerCase() : undefined,
    ad: isUuid(value('ad')) ? value('ad').toLowerCase() : undefined,
    until: readTime(request.query['until']),
  };
}

function filterOf({ status, topic, channel, set, ad, until }: DeliveryQuery, organizationId: string): DeliveryFilter {
  return { organizationId, status, topic, channel, setId: set, adId: ad, until };
}

function hasFilter({ status, topic, channel, set, ad }: DeliveryQuery): boolean {
  return [status, topic, channel, set, ad].some((value) => value !== undefined);
}

/** @returns the address of another list page with the same filters. */
function listPageAddress(path: string, query: DeliveryQuery, given: { page: number; until: Date }): string {
  const { page: _page, until: _until, ...filters } = query;
  const { page } = given;
  return addressOf(path, {
    ...filters,
    ...pageParameters({ page: { page }, until: page > 1 ? given.until : undefined }),
  });
}
