/** The activity of a set: its audit log, the answers of clients, and deliveries. */

import { listAuditLog } from '../../core/organizations/auditLogQueries.ts';
import { threadsOfScreenshots } from '../../core/reviews/commentQueries.ts';
import { answersOfSet } from '../../core/sharing/answerQueries.ts';
import type { ShareLinkRow } from '../../core/sharing/shareLinks.ts';
import { listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import { AUDIT_ACTIONS, type FieldChange } from '../../domain/auditLog.ts';
import { isUuid } from '../../domain/slugs.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions } from '../context.ts';
import { deliveryList } from '../deliveries/deliveryPage.ts';
import { timeElement } from '../labels.ts';
import { metadataList, numberedPages } from '../parts.ts';
import { addressOf } from '../paths.ts';
import type { SetFacts, SetPageOptions } from './pictures.ts';
import { answerLine, ownThreads } from './threads.ts';

const PER_PAGE = 50;

export async function activity(
  { store }: PagesOptions,
  { set, views }: SetFacts,
  { viewer, paths, page, shares }: SetPageOptions & { readonly shares: readonly ShareLinkRow[] },
): Promise<Html> {
  const { organizationId } = viewer;
  const ofSet = { organizationId, setId: set.id };
  const shown = { page, perPage: PER_PAGE };
  const objectIds = [set.id, ...shares.map(({ id }) => id)];
  const [log, deliveries] = await Promise.all([
    listAuditLog(store.db, { organizationId, objectIds }, shown),
    listDeliveries(store.db, ofSet, { page: 1, perPage: PER_PAGE }),
  ]);
  const next = addressOf(paths.set(set.id), { tab: 'activity' });
  // The page of a picture has the id of the set's own version.
  const ownIds = new Map(views.map(({ id, shownId }) => [shownId, id]));
  const answers = await answersOfSet(store.db, { setId: set.id }, shown);
  const threads = (await threadsOfScreenshots(store.db, [], { setId: set.id })).get(null) ?? [];
  const pages = Math.ceil(Math.max(log.total, answers.total) / PER_PAGE);
  const addressOfPage = (to: number) => addressOf(paths.set(set.id), { tab: 'activity', page: String(to) });
  const comments = { viewer, paths, next, action: `${paths.set(set.id)}/comments`, hasPin: false };
  return html`${answers.total > 0 && html`<section class="panel"><h2>Answers of clients <span class="count">${answers.total}</span></h2><ol class="log">${answers.rows.map((row) => html`<li>${answerLine(row)}${row.screenshot_id !== null && html`<p class="meta"><a href="${paths.screenshot(ownIds.get(row.screenshot_id) ?? row.screenshot_id)}">Open the picture</a></p>`}</li>`)}</ol></section>`}
<section class="panel"><h2>Comments on the whole set</h2>${ownThreads(threads, comments)}</section>
<section class="panel"><h2>Activity</h2><ol class="log">${log.rows.map(
    (row) =>
      html`<li><p><strong><bdi>${row.actor_name ?? 'The service'}</bdi></strong> ${AUDIT_ACTIONS[row.action].toLowerCase()}${detail(row.changes)}</p><p class="meta">${timeElement(row.created_at)}</p></li>`,
  )}
${page >= pages && html`<li><p>The set was requested.</p><p class="meta">${timeElement(set.created_at)}</p></li>`}</ol></section>
${numberedPages({ page, pages, addressOf: addressOfPage })}
<section id="deliveries" class="panel">${deliveryList(deliveries.rows, { paths, viewer, next })}</section>
${metadataList(set.metadata)}`;
}

/** The new values, for example "decision: approved". Pictures are counted. */
function detail(changes: readonly FieldChange[]): HtmlContent {
  const texts = changes.flatMap(({ field, to }) =>
    to === null || /_id$/.test(field) ? [] : [`${field.replaceAll('_', ' ')}: ${isUuidList(to) ? countOf(to) : to}`],
  );
  return texts.length > 0 && html`<span class="meta"> ${texts.join(', ')}</span>`;
}

const isUuidList = (to: string) => to.split(', ').every(isUuid);

const countOf = (ids: string) => ids.split(', ').length;
