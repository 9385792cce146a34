/** The inbox names what waits for the people of the organization, above the list of campaigns. */
import { listSchedules } from '../../core/schedules/scheduleQueries.ts';
import { readObjectNames } from '../../core/sets/objectNames.ts';
import { listRounds, type SetOfRounds } from '../../core/sets/rounds.ts';
import { readOpenChanges } from '../../core/sharing/answerQueries.ts';
import { totalsOf } from '../../domain/reviewNotes.ts';
import { setName } from '../../domain/setNames.ts';
import { isFailure } from '../../domain/states.ts';
import { counted, cutCodePoints } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, panel } from '../parts/components.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { SCREENSHOT_LABELS, timeElement } from '../parts/labels.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';

/** The inbox shows no more of one kind. The lists behind it show all. */
const MOST = 5;
/** Older failures are no news. */
const FAILED_DAYS = 7;
/** Sets that are searched for failures. */
const RECENT = { page: 1, perPage: 100 };
const QUOTE_MAX = 160;

/** @returns nothing for an organization in which nothing waits. */
export async function inbox(
  { store: { db } }: PagesOptions,
  { viewer, paths }: { readonly viewer: Viewer; readonly paths: PagePaths },
): Promise<HtmlContent> {
  const { organizationId } = viewer;
  const from = new Date(Date.now() - FAILED_DAYS * 86_400_000);
  const [changes, waiting, recent, schedules] = await Promise.all([
    readOpenChanges(db, organizationId, MOST),
    listRounds(db, { organizationId, status: 'in_review' }, { page: 1, perPage: MOST }),
    listRounds(db, { organizationId, from }, RECENT),
    listSchedules(db, { organizationId }, RECENT),
  ]);
  const names = await readObjectNames(db, { organizationId, ids: changes.map(({ set_id }) => set_id) });
  const failed = recent.rows.filter(({ status, counts }) => status !== 'capturing' && totalsOf(counts).failed > 0);
  const item = (state: string, label: string, link: HtmlContent, more: HtmlContent) =>
    html`<li>${badge(state, label)} ${link} <span class="meta">${more}</span></li>`;
  const set = (row: SetOfRounds, tab?: string) =>
    html`<a href="${addressOf(paths.set(row.id), { tab })}"><bdi>${setName(row)}</bdi></a>`;
  const items = [
    ...changes.map(({ set_id, client_name, comment, pictures, at }) => {
      const link = html`<a href="${addressOf(paths.set(set_id), { tab: 'activity' })}"><bdi>${names.get(set_id)?.name ?? 'A set'}</bdi></a>`;
      const quote = comment !== null && html`: “<bdi>${shortened(comment)}</bdi>”`;
      const who = html`<bdi>${client_name}</bdi> asks for changes to ${counted(pictures, 'picture')}${quote}, ${timeElement(at)}`;
      return item('changes_requested', 'Client', link, who);
    }),
    ...waiting.rows.map((row) => {
      const { uploaded } = totalsOf(row.counts);
      return item('in_review', 'To review', set(row), `${row.reviewed} of ${uploaded} reviewed`);
    }),
    ...failed.slice(0, MOST).map((row) => item('failed', 'Failed', set(row, 'failed'), reasons(row))),
    ...schedules.rows
      .filter(({ paused_reason }) => paused_reason !== null)
      .map(({ id, name, paused_reason }) =>
        item('failed', 'Stopped', html`<a href="${paths.schedule(id)}"><bdi>${name}</bdi></a>`, paused_reason),
      ),
  ];
  const total =
    waiting.total > MOST &&
    html`<p><a href="${addressOf(paths.sets, { status: 'in_review' })}">All sets in review</a></p>`;
  return items.length > 0 && panel('Inbox', html`<ul class="items">${items}</ul>${total}`);
}

const shortened = (text: string) => (text.length > QUOTE_MAX ? `${cutCodePoints(text, QUOTE_MAX)}…` : text);

/** For example "2 × The site blocked the visit, 1 × No slot found". */
function reasons({ counts }: SetOfRounds): Html {
  const texts = Object.entries(counts).flatMap(([status, count]) =>
    isFailure(status as keyof typeof counts) ? [`${count} × ${SCREENSHOT_LABELS[status as keyof typeof counts]}`] : [],
  );
  return html`${texts.join(', ')}`;
}
