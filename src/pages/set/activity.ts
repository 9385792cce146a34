/** The activity of a set and its retakes: their audit log, the answers of clients, comments, and deliveries. */

import { type AuditLogRow, listAuditLog } from '../../core/journal/auditLogQueries.ts';
import { listThreads } from '../../core/reviews/commentQueries.ts';
import { type AnswerRow, answersOfSet } from '../../core/sharing/answerQueries.ts';
import type { ShareLinkRow } from '../../core/sharing/shareLinks.ts';
import { listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import { AUDIT_ACTIONS, type FieldChange } from '../../domain/auditLog.ts';
import { isUuid } from '../../domain/slugs.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { deliveryList } from '../deliveries/deliveryPage.ts';
import { panel } from '../parts/components.ts';
import type { PagesOptions } from '../parts/context.ts';
import { timeElement } from '../parts/labels.ts';
import { addressOf } from '../parts/paths.ts';
import { metadataList, numberedPages } from '../parts/pictureParts.ts';
import type { SetFacts, SetPageOptions } from '../pictures/pictures.ts';
import { answerLine, ownThreads } from '../pictures/threads.ts';

const PER_PAGE = 50;

export async function activity(
  { store }: PagesOptions,
  { set, views, retakes }: SetFacts,
  { viewer, paths, page, shares }: SetPageOptions & { readonly shares: readonly ShareLinkRow[] },
): Promise<Html> {
  const { organizationId } = viewer;
  const ofSet = { organizationId, setId: set.id };
  const shown = { page, perPage: PER_PAGE };
  const retakeIds = retakes.map(({ id }) => id);
  const objectIds = [set.id, ...retakeIds, ...shares.map(({ id }) => id)];
  const [log, threads, deliveries] = await Promise.all([
    listAuditLog(store.db, { organizationId, objectIds }, shown),
    listThreads(store.db, { setIds: [set.id, ...retakeIds] }, shown),
    listDeliveries(store.db, ofSet, { page: 1, perPage: PER_PAGE }),
  ]);
  const next = addressOf(paths.set(set.id), { tab: 'activity' });
  // The page of a picture has the id of the set's own version.
  const ownIds = new Map(views.map(({ id, shownId }) => [shownId, id]));
  const answers = await answersOfSet(store.db, { setId: set.id }, shown);
  const pages = Math.ceil(Math.max(log.total, answers.total, threads.total) / PER_PAGE);
  const addressOfPage = (to: number) => addressOf(paths.set(set.id), { tab: 'activity', page: String(to) });
  const pictureOf = (id: string | null) =>
    id !== null && html` <a href="${paths.screenshot(ownIds.get(id) ?? id)}">Open the picture</a>`;
  const comments = { viewer, paths, next, action: `${paths.set(set.id)}/comments`, hasPin: false, pictureOf };
  const entries = log.rows.map((row) => {
    const retake = retakeIds.find((id) => id === row.object_id);
    return entry(row, retake && paths.set(retake));
  });
  const answer = (row: AnswerRow) => {
    const picture = row.screenshot_id !== null && html`<p class="meta">${pictureOf(row.screenshot_id)}</p>`;
    return html`<li>${answerLine(row)}${picture}</li>`;
  };
  const clients = html`Answers of clients <span class="count">${answers.total}</span>`;
  return html`${answers.total > 0 && panel(clients, html`<ol class="log">${answers.rows.map(answer)}</ol>`)}
${panel('Comments', ownThreads(threads.rows, comments))}
${panel('Activity', html`<ol class="log">${entries}</ol>`)}
${numberedPages({ page, pages, addressOf: addressOfPage })}
<section id="deliveries" class="panel">${deliveryList(deliveries.rows, { paths, viewer, next })}</section>
${metadataList(set.metadata)}`;
}

/** @param retake the address of the retake that the entry is about. */
function entry(row: AuditLogRow, retake: string | undefined): Html {
  const actor = html`<strong><bdi>${row.actor_name ?? 'The service'}</bdi></strong>`;
  const meta = html`${actor}, ${timeElement(row.created_at)}${retake && html` · <a href="${retake}">retake</a>`}`;
  return html`<li><p>${AUDIT_ACTIONS[row.action]}${detail(row.changes)}</p><p class="meta">${meta}</p></li>`;
}

/** Switches, times and ids are for the audit log. */
const isForPeople = (field: string, to: string) => !/_id$|_at$/.test(field) && !/^(true|false)$/.test(to);

/** The new values, for example "decision: approved". Pictures are counted. */
function detail(changes: readonly FieldChange[]): HtmlContent {
  const texts = changes.flatMap(({ field, to }) =>
    to === null || !isForPeople(field, to)
      ? []
      : [
          `${field === 'none' ? 'without a decision' : field.replaceAll('_', ' ')}: ${isUuidList(to) ? countOf(to) : to}`,
        ],
  );
  return texts.length > 0 && html`<span class="meta"> ${texts.join(', ')}</span>`;
}

const isUuidList = (to: string) => to.split(', ').every(isUuid);

const countOf = (ids: string) => ids.split(', ').length;
