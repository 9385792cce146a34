/** The pages of actions on several sets: one asks before, one says what happened to each set. */

import { type ListedSet, readSets } from '../../core/sets/listSets.ts';
import { totalsOf } from '../../domain/reviewNotes.ts';
import { isUuid } from '../../domain/slugs.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import { progressLabel, timeElement } from '../labels.ts';
import { messagePage } from '../messagePages.ts';
import type { PagePaths } from '../paths.ts';
import { actOnSets, BULK_ACTIONS, type BulkActionName, type BulkResult, isBulkAction } from './bulkActions.ts';
import { setState } from './setTable.ts';

/** More than a list page has. */
const SETS_MAX = 100;

export interface BulkRequest {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly action: unknown;
  /** As sent: perhaps not ids. */
  readonly ids: readonly string[];
  /** The query of the list that the person came from. */
  readonly back: string;
}

export async function confirmationPage(options: PagesOptions, request: BulkRequest): Promise<ResultsPage> {
  const { viewer, paths, action } = request;
  if (!isBulkAction(action)) return messagePage('Nothing to do', 'The address names no action on sets.', 422);
  const rows = await readSets(options.store.db, viewer.organizationId, validIds(request));
  if (rows.length === 0) return nothingSelected(request);
  const { label, effect, hasNotes } = BULK_ACTIONS[action];
  const { possible, others } = divide(rows, action);
  const form = html`<form method="post" action="${paths.sets}/bulk">${hiddenFields(viewer, paths.sets)}
<input type="hidden" name="action" value="${action}"><input type="hidden" name="back" value="${request.back}">
${possible.map(({ id }) => html`<input type="hidden" name="set" value="${id}">`)}
${hasNotes && html`<div class="field"><label for="notes">Notes for all of them</label><textarea id="notes" name="notes" rows="2" maxlength="10000"></textarea></div>`}
<p class="actions"><button class="${action === 'approve' || action === 'retake' ? 'primary' : 'danger'}">${label} ${setCount(possible.length)}</button> <a class="button" href="${listAddress(request)}">Back, change nothing</a></p></form>`;
  const none = html`<p class="actions"><a class="button" href="${listAddress(request)}">Back to the list</a></p>`;
  const body = html`<section class="head"><h1>${possible.length === 0 ? `${label}: not possible` : `${label} ${setCount(possible.length)}?`}</h1>${possible.length > 0 && html`<p>${effect}</p>`}</section>
${possible.length > 0 && html`<ul class="affected">${possible.map((row) => item(row, paths))}</ul>`}
${others.length > 0 && html`<section class="part"><h2>${setCount(others.length)} will stay as ${others.length === 1 ? 'it is' : 'they are'}</h2><ul class="affected">${others.map(({ row, why }) => item(row, paths, why))}</ul></section>`}
${possible.length > 0 ? form : none}`;
  return { title: `${label} sets`, section: 'sets', assets: ['lists.css'], body };
}

export async function bulkResultPage(
  options: PagesOptions,
  request: BulkRequest & { readonly notes: string },
): Promise<ResultsPage> {
  const { viewer, paths, action, notes } = request;
  if (!isBulkAction(action)) return messagePage('Nothing to do', 'The form names no action on sets.', 422);
  const rows = await readSets(options.store.db, viewer.organizationId, validIds(request));
  if (rows.length === 0) return nothingSelected(request);
  const results = await actOnSets(options, viewer, { action, rows, notes });
  const failed = results.filter(({ fault }) => fault !== undefined);
  const done = results.length - failed.length;
  const { done: participle } = BULK_ACTIONS[action];
  const body = html`<section class="head"><h1>${done} of ${setCount(results.length)} ${participle}</h1></section>
<ul class="affected" role="status">${results.map((result) => resultItem(result, paths))}</ul>
<p class="actions"><a class="button primary" href="${listAddress(request)}">Back to the list</a></p>`;
  return { title: 'Result', section: 'sets', assets: ['lists.css'], body };
}

const setCount = (count: number) => (count === 1 ? '1 set' : `${count} sets`);

function validIds({ ids }: BulkRequest): string[] {
  return [...new Set(ids.filter(isUuid).map((id) => id.toLowerCase()))].slice(0, SETS_MAX);
}

function divide(rows: readonly ListedSet[], action: BulkActionName) {
  const judged = rows.map((row) => ({ row, why: BULK_ACTIONS[action].obstacle(row) }));
  return {
    possible: judged.filter(({ why }) => why === undefined).map(({ row }) => row),
    others: judged.flatMap(({ row, why }) => (why === undefined ? [] : [{ row, why }])),
  };
}

/** The query becomes part of our own address, so it cannot lead elsewhere. */
function listAddress({ back, paths }: BulkRequest): string {
  const query = new URLSearchParams(back).toString();
  return query === '' ? paths.sets : `${paths.sets}?${query}`;
}

function nothingSelected(request: BulkRequest): ResultsPage {
  const body = html`<section class="signin"><h1>No set is selected</h1><p>Select sets in the list, then choose what to do with them.</p>
<p><a class="button primary" href="${listAddress(request)}">Back to the list</a></p></section>`;
  return { title: 'No set is selected', section: 'sets', status: 422, assets: ['lists.css'], body };
}

function item(row: ListedSet, paths: PagePaths, why?: string): Html {
  return html`<li><a href="${paths.set(row.id)}"><bdi>${row.campaign}</bdi></a> ${setState(row)} <span class="meta">${progressLabel(totalsOf(row.counts))}, requested ${timeElement(row.created_at)}</span>${why !== undefined && html`<span class="advice">${why}</span>`}</li>`;
}

function resultItem({ row, fault, newSetId }: BulkResult, paths: PagePaths): Html {
  const outcome: HtmlContent =
    fault === undefined
      ? html`<span class="state active">Done</span>`
      : html`<span class="state failed">Not done</span> <span class="fault">${fault}</span>`;
  const retaken = newSetId !== undefined && html` <a href="${paths.set(newSetId)}">Open the new set</a>`;
  return html`<li><a href="${paths.set(row.id)}"><bdi>${row.campaign}</bdi></a> ${outcome}${retaken}</li>`;
}
