/** The list of schedules, and the page of one, with the pictures of each placement over its runs. */
import { runsAhead } from '../../core/schedules/scheduleJson.ts';
import {
  findSchedule,
  listRuns,
  listSchedules,
  type PlacementPicture,
  type RunRow,
  readPlacements,
  type ScheduleRow,
} from '../../core/schedules/scheduleQueries.ts';
import { shortDevice } from '../../domain/devices.ts';
import { SCHEDULES_MAX, type ScheduleRule, scheduleStatus, WEEKDAYS } from '../../domain/schedules.ts';
import { SCREENSHOT_LABELS } from '../../domain/screenshotLabels.ts';
import { formatInstant } from '../../domain/time.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { campaignsHead, type PageOptions } from '../lists/campaignsPage.ts';
import {
  badge,
  button,
  type Column,
  dialog,
  emptyState,
  facts,
  linkButton,
  pageHead,
  table,
} from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import type { FormState } from '../parts/formFields.ts';
import { hiddenFields } from '../parts/forms.ts';
import { decisionBadge, markerLabel } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { shotFigure, siteName } from '../parts/pictureParts.ts';
import { changeForm } from './newSchedulePage.ts';

const STATES = { active: 'Active', paused: 'Paused', ended: 'Ended' };
const CLASSES = { active: 'active', paused: 'in_review', ended: 'canceled' };
/** The newest runs, and placements of each, that a page shows. */
const SHOWN = { runs: 12, placements: 50 };
const RUNS_LISTED = 20;

const stateOf = (row: ScheduleRow) => badge(CLASSES[scheduleStatus(row)], STATES[scheduleStatus(row)]);

/** For example "Monday to Friday, between 08:00 and 10:00". */
function ruleLabel(rule: ScheduleRule): HtmlContent {
  if ('cron' in rule) return html`<code>${rule.cron}</code>`;
  const names = rule.days.map((day) => `${day.charAt(0).toUpperCase()}${day.slice(1)}`);
  const days = String(rule.days) === String(WEEKDAYS) ? 'Monday to Friday' : names.join(', ');
  return `${days}, between ${rule.start} and ${rule.end}`;
}

function outcome({ outcome, set_id, reason }: Omit<RunRow, 'due_at'>, paths: PagePaths): HtmlContent {
  if (set_id !== null) return html`<a href="${paths.set(set_id)}">Open the set</a>`;
  const state = outcome === 'refused' ? badge('failed', 'Refused') : badge('canceled', 'Skipped');
  return html`${state} <span class="meta">${reason}</span>`;
}

export async function schedulesPage({ store }: PagesOptions, { viewer, paths }: PageOptions): Promise<ResultsPage> {
  const page = { page: 1, perPage: SCHEDULES_MAX };
  const { rows } = await listSchedules(store.db, { organizationId: viewer.organizationId }, page);
  const add = viewer.canWrite && linkButton({ href: `${paths.schedules}/new`, label: 'New schedule', icon: 'plus' });
  const none = emptyState({
    title: 'No schedules yet',
    text: html`A schedule repeats a request during a flight. Open a set, and choose “Repeat this request” in its menu.
      Or begin with a template.`,
    action: add,
  });
  const columns: Column<ScheduleRow>[] = [
    {
      label: 'Schedule',
      kind: 'main',
      cell: ({ id, name, campaign }) =>
        html`<a href="${paths.schedule(id)}"><bdi>${name}</bdi></a> <span class="meta"><bdi>${campaign}</bdi></span>`,
    },
    { label: 'Status', cell: stateOf },
    { label: 'Repeats', cell: ({ rule }) => ruleLabel(rule) },
    { label: 'Next run', kind: 'time', cell: (row) => row.due_at && formatInstant(row.due_at, row.time_zone) },
    {
      label: 'Last run',
      kind: 'time',
      cell: (row) => row.last_due_at && html`${formatInstant(row.last_due_at, row.time_zone)} ${outcome(row, paths)}`,
    },
  ];
  const body = html`${campaignsHead(paths, 'schedules', rows.length > 0 && add)}
${rows.length === 0 ? none : table({ columns, rows })}`;
  return { title: `Schedules of ${viewer.slug}`, section: 'campaigns', body };
}

/** @param id a UUID. @returns undefined if the organization has no such schedule. */
export async function schedulePage(
  { store: { db } }: PagesOptions,
  id: string,
  { viewer, paths, form }: PageOptions & { readonly form?: FormState },
): Promise<ResultsPage | undefined> {
  const row = await findSchedule(db, { id, organizationId: viewer.organizationId });
  if (row === undefined) return undefined;
  const [rows, placements] = await Promise.all([listRuns(db, id, RUNS_LISTED), readPlacements(db, id, SHOWN)]);
  const time = (at: Date) => formatInstant(at, row.time_zone);
  const columns: Column<RunRow>[] = [
    { label: 'Due', kind: 'main', cell: ({ due_at }) => time(due_at) },
    { label: 'Result', cell: (run) => outcome(run, paths) },
  ];
  const next = runsAhead(row).map((at) => html`<li>${time(at)}</li>`);
  const none = emptyState({ title: 'No pictures yet', text: 'Each placement’s pictures appear here, side by side.' });
  const groups = placements.map((pictures) => group(pictures, { paths, time }));
  const body = html`${pageHead({
    up: { href: paths.schedules, label: 'Schedules' },
    title: html`<bdi>${row.name}</bdi>`,
    badge: stateOf(row),
    meta: html`${ruleLabel(row.rule)}, ${row.time_zone} · <a href="${paths.campaign(row.campaign_id)}"><bdi>${row.campaign}</bdi></a>`,
    actions: viewer.canWrite && actions(row, { viewer, paths }),
  })}
${viewer.canWrite && changePart(row, { viewer, paths }, form)}
${row.paused_reason !== null && html`<p class="note warnings"><strong>The service paused this schedule.</strong> ${row.paused_reason}</p>`}
${facts([
  ['Next runs', next.length > 0 && html`<ol>${next}</ol>`],
  ['Flight', `${time(row.starts_at)} to ${time(row.ends_at)}`],
  ['Missed runs', row.missed === 'once' ? 'Run once, as soon as possible' : 'Skipped'],
])}
${placements.length === 0 ? none : html`<section class="groups" aria-label="Pictures">${groups}</section>`}
${
  placements.length === SHOWN.placements &&
  html`<p class="hint">These are the first ${SHOWN.placements} placements. The sets contain all of them.</p>`
}
${rows.length > 0 && html`<section class="part"><h2>Last runs</h2>${table({ columns, rows })}</section>`}`;
  return { title: row.name, section: 'campaigns', assets: ['set.css'], status: form?.status, body };
}

/** Open again after a fault, also without scripts. */
function changePart(row: ScheduleRow, options: PageOptions, form?: FormState): Html {
  return html`<details class="part"${form !== undefined && html` open`}><summary>Change this schedule</summary>
    ${changeForm(row, options, form)}</details>`;
}

function actions(row: ScheduleRow, { viewer, paths }: PageOptions): Html {
  const path = paths.schedule(row.id);
  const status = scheduleStatus(row);
  const form = (action: string, content: HtmlContent) =>
    html`<form method="post" action="${path}/${action}">${hiddenFields(viewer, path)}${content}</form>`;
  const remove = html`<p>It will create no more sets. Its existing sets stay.</p>
${form('delete', button({ label: 'Delete', icon: 'trash-2', kind: 'danger' }))}`;
  return html`${form('run', button({ label: 'Run now', icon: 'repeat' }))}${status === 'active' && form('pause', button({ label: 'Pause' }))}
${status === 'paused' && form('resume', button({ label: 'Resume', kind: 'primary' }))}
${button({ label: 'Delete', icon: 'trash-2', opens: 'delete' })}${dialog('delete', 'Delete this schedule?', remove)}`;
}

interface GroupOptions {
  readonly paths: PagePaths;
  time(at: Date): string;
}

function group(pictures: readonly PlacementPicture[], options: GroupOptions): HtmlContent {
  const [first] = pictures;
  if (first === undefined) return null;
  const { ad, ad_id, site_url, device, marker_ms } = first;
  const { host, address } = siteName(site_url);
  const marker = marker_ms !== null && ` · ${markerLabel(marker_ms)}`;
  const page = address !== host && html` · <bdi>${address}</bdi>`;
  return html`<section class="group"><header><h2><bdi>${host}</bdi></h2>
<p class="meta"><a href="${options.paths.ad(ad_id)}"><bdi>${ad}</bdi></a> · ${shortDevice(device)}${marker}${page}</p></header>
<div class="film">${pictures.map((picture) => cell(picture, options))}</div></section>`;
}

function cell(picture: PlacementPicture, { paths, time }: GroupOptions): Html {
  const { id, ad, site_url, device, status, image_token } = picture;
  const when = time(picture.due_at);
  const href = paths.screenshot(id);
  const decision = picture.decision ?? 'none';
  const caption =
    image_token === null
      ? html`<p class="what"><a href="${href}">${when}</a></p><p class="meta">${SCREENSHOT_LABELS[status]}</p>`
      : html`<p class="what">${when} ${decisionBadge(decision)}</p>`;
  const alt = `${ad} on ${site_url}, ${shortDevice(device)}, ${when}`;
  return shotFigure(picture, { paths, href, alt, decision, caption });
}
