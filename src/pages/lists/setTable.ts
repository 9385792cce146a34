/** The rows of a list of sets, with check boxes for actions on several sets. */

import type { ListedSet, SetPicture, SetPreview } from '../../core/sets/listSets.ts';
import { totalsOf } from '../../domain/reviewNotes.ts';
import { shownPart } from '../../domain/thumbnails.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { Viewer } from '../context.ts';
import { progressLabel, SET_LABELS, setBadge, timeElement } from '../labels.ts';
import { thumbnail, widthAtHeight } from '../parts.ts';
import type { PagePaths } from '../paths.ts';
import { BULK_ACTIONS } from './bulk.ts';
import { sortHeading } from './filterForm.ts';
import type { ListQuery } from './listQuery.ts';

interface SetTableOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** The query of the list that the table is on; absent on the page of a campaign, whose table has no check boxes and does not repeat the campaign. */
  readonly query?: ListQuery<unknown>;
}

export function setTable(rows: readonly (ListedSet & SetPreview)[], options: SetTableOptions): Html {
  const { viewer, paths, query } = options;
  const canSelect = query !== undefined && viewer.canWrite;
  const requested =
    query === undefined
      ? html`<th scope="col">Requested</th>`
      : sortHeading(query, 'Requested', { path: paths.sets, sorts: ['newest', 'oldest'] });
  const table = html`<table class="list sets${canSelect && ' selectable'}">
<thead><tr>${canSelect && html`<th scope="col" class="select"><span class="hidden">Select</span></th>`}<th scope="col">Pictures</th><th scope="col">${query === undefined ? 'Sites' : 'Campaign'}</th><th scope="col">Status</th><th scope="col">Captured</th>${requested}</tr></thead>
<tbody>${rows.map((row) => setRow(row, { paths, canSelect, namesCampaign: query !== undefined }))}</tbody></table>`;
  if (!canSelect) return table;
  return html`<form class="bulk" method="get" action="${paths.sets}/bulk">${table}
<input type="hidden" name="back" value="${new URLSearchParams(query.given).toString()}">
<div class="actions"><span class="meta" data-selected>With the selected sets:</span>
${Object.entries(BULK_ACTIONS).map(([name, { label }]) => html`<button name="action" value="${name}">${label}</button>`)}</div></form>`;
}

interface RowOptions {
  readonly paths: PagePaths;
  readonly canSelect: boolean;
  readonly namesCampaign: boolean;
}

function setRow(row: ListedSet & SetPreview, { paths, canSelect, namesCampaign }: RowOptions): Html {
  const { id, campaign, status, created_at, pictures, retake_of } = row;
  const name = `${campaign}, ${SET_LABELS[status]}`;
  const targets = targetsLabel(row);
  const title = namesCampaign ? html`<bdi>${campaign}</bdi>` : targets;
  const box =
    canSelect &&
    html`<td class="select"><input type="checkbox" name="set" value="${id}" aria-label="Select ${name}"></td>`;
  return html`<tr id="set-${id}" data-live>${box}<td class="thumbs">${pictures.map((picture) => listThumbnail(picture, paths))}</td>
<td class="main"><a href="${paths.set(id)}">${title}</a>${retake_of !== null && html` <span class="meta">retake</span>`}${namesCampaign && html`<span class="meta">${targets}</span>`}</td>
<td>${setBadge(row)}</td><td class="number">${captured(row)}</td><td class="time">${timeElement(created_at)}</td></tr>`;
}

function captured({ counts }: ListedSet): HtmlContent {
  const totals = totalsOf(counts);
  return html`<span title="${progressLabel(totals)}">${totals.uploaded} of ${totals.total}</span>${totals.pending > 0 && html`<span class="meta">${totals.pending} in progress</span>`}${totals.canceled > 0 && html`<span class="meta">${totals.canceled} canceled</span>`}`;
}

const SITES_SHOWN = 2;

function targetsLabel({ sites, devices }: SetPreview): HtmlContent {
  const hosts = [...new Set(sites.map(hostOf))];
  const rest = hosts.length - SITES_SHOWN;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return html`${hosts.slice(0, SITES_SHOWN).join(', ')}${more}${devices.length > 0 && ` on ${devices.join(', ')}`}`;
}

function hostOf(site: string): string {
  return URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(site) ? site : `https://${site}`)?.host || site;
}

/** CSS pixels, as in the style sheet. */
const SHOWN_HEIGHT = 44;

function listThumbnail({ token, ...picture }: SetPicture, paths: PagePaths): Html {
  const size = shownPart(picture);
  return thumbnail({ paths, token, alt: '', size, shownWidth: widthAtHeight(size, SHOWN_HEIGHT) });
}
