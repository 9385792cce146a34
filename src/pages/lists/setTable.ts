/** The rows of a list of sets. */

import type { SetPicture, SetPreview } from '../../core/sets/listSets.ts';
import type { SetOfRounds } from '../../core/sets/rounds.ts';
import { shortDevice } from '../../domain/devices.ts';
import { totalsOf } from '../../domain/reviewNotes.ts';
import { setName } from '../../domain/setNames.ts';
import { firstOf } from '../../domain/text.ts';
import { shownPart } from '../../domain/thumbnails.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { type Column, table } from '../parts/components.ts';
import { progressLabel, setBadge, timeElement } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { siteName, thumbnail, widthAtHeight } from '../parts/pictureParts.ts';
import { sortingBy } from '../tables/listParts.ts';
import type { ListQuery } from '../tables/listQuery.ts';

/** @param query of the list that the table is on; absent on the page of an ad or a campaign, whose table is not sorted. */
export function setTable(
  rows: readonly (SetOfRounds & SetPreview)[],
  paths: PagePaths,
  query?: ListQuery<unknown>,
): Html {
  const columns: Column<SetOfRounds & SetPreview>[] = [
    { label: 'Pictures', kind: 'thumbs', cell: (row) => row.pictures.map((picture) => listThumbnail(picture, paths)) },
    { label: 'Set', kind: 'main', cell: (row) => nameCell(row, paths) },
    { label: 'Status', cell: (row) => setBadge(row, totalsOf(row.counts)) },
    { label: 'Captured', kind: 'number', cell: captured },
    { label: 'Reviewed', kind: 'number', cell: reviewed },
    {
      label: 'Requested',
      kind: 'time',
      sorting: query && sortingBy(query, paths.sets, ['newest', 'oldest']),
      cell: (row) => timeElement(row.created_at),
    },
  ];
  return table({ columns, rows, attributesOf: ({ id }) => html` id="set-${id}" data-live` });
}

function nameCell(row: SetOfRounds & SetPreview, paths: PagePaths): Html {
  const round = row.rounds > 1 && html` <span class="count">v${row.rounds}</span>`;
  return html`<a href="${paths.set(row.id)}"><bdi>${setName(row)}</bdi></a>${round} <span class="meta">${targetsLabel(row)}</span>`;
}

function captured({ counts }: SetOfRounds): HtmlContent {
  const totals = totalsOf(counts);
  const pending = totals.pending > 0 && html` <span class="meta">${totals.pending} in progress</span>`;
  const canceled = totals.canceled > 0 && html` <span class="meta">${totals.canceled} canceled</span>`;
  return html`<span title="${progressLabel(totals)}">${totals.uploaded} of ${totals.total}</span>${pending}${canceled}`;
}

function reviewed({ counts, reviewed: done }: SetOfRounds): HtmlContent {
  const { uploaded } = totalsOf(counts);
  return uploaded > 0 && `${done} of ${uploaded}`;
}

const SITES_SHOWN = 2;

function targetsLabel({ sites, devices }: SetPreview): HtmlContent {
  const hosts = [...new Set(sites.map((site) => siteName(site).host))];
  return html`${firstOf(hosts, SITES_SHOWN)}${devices.length > 0 && ` on ${devices.map(shortDevice).join(', ')}`}`;
}

/** CSS pixels, as in the style sheet. */
const SHOWN_HEIGHT = 44;

export function listThumbnail({ token, ...picture }: SetPicture, paths: PagePaths): Html {
  const size = shownPart(picture);
  return thumbnail({ paths, token, alt: '', size, shownWidth: widthAtHeight(size, SHOWN_HEIGHT) });
}
