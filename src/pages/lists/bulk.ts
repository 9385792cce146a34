/** Actions on several sets: which sets each takes, and what it does, each set in a transaction of its own. */
import { retakeParser } from '../../contract/retakes.ts';
import { repeatSet } from '../../core/requests/repeatScreenshots.ts';
import { readRounds, type SetOfRounds } from '../../core/sets/rounds.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { Failure, failureMessage } from '../../domain/failure.ts';
import { totalsOf } from '../../domain/reviewNotes.ts';
import { setName } from '../../domain/setNames.ts';
import { isUuid } from '../../domain/slugs.ts';
import { counted } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, button, linkButton, pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { EMPTY_FORM, textField } from '../parts/formFields.ts';
import { hiddenFields } from '../parts/forms.ts';
import { progressLabel, setBadge, timeElement } from '../parts/labels.ts';
import { messagePage } from '../parts/layout.ts';
import type { PagePaths } from '../parts/paths.ts';
import type { ViewerRequest } from '../routes/pageRoutes.ts';
import { actOnSet } from '../set/setPage.ts';

/** More than a list page has. */
const SETS_MAX = 100;

interface BulkRequest {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly action: unknown;
  /** As sent: perhaps not ids. */
  readonly ids: readonly string[];
  /** The query of the list that the person came from. */
  readonly back: string;
}

type BulkActionName = 'approve' | 'reject' | 'cancel' | 'retake';

interface BulkAction {
  readonly label: string;
  /** For example "were approved". */
  readonly done: string;
  readonly effect: string;
  /** Whether the person may write notes. */
  readonly hasNotes: boolean;
  /** @returns why the set stays as it is; undefined if the action is possible. */
  obstacle(row: SetOfRounds): string | undefined;
}

const inReview = ({ status }: SetOfRounds) =>
  status === 'in_review' ? undefined : 'Only a set in review can be approved or rejected.';
const isOpen = ({ status }: SetOfRounds) => status === 'draft' || status === 'capturing';

export const BULK_ACTIONS: Readonly<Record<BulkActionName, BulkAction>> = {
  approve: {
    label: 'Approve',
    done: 'approved',
    effect: 'Subscribers are notified, and pictures are delivered to buckets. The review can be reopened.',
    hasNotes: true,
    obstacle: inReview,
  },
  reject: {
    label: 'Reject',
    done: 'rejected',
    effect: 'Subscribers are notified. The pictures stay here. The review can be reopened.',
    hasNotes: true,
    obstacle: inReview,
  },
  cancel: {
    label: 'Cancel',
    done: 'canceled, or will be in a moment',
    effect: 'Pictures already taken stay. The others will not be taken. This cannot be undone.',
    hasNotes: false,
    obstacle: (row) => {
      if (row.cancel_requested_at !== null) return 'This set is already canceled.';
      return isOpen(row) || row.status === 'in_review' ? undefined : 'This set is finished.';
    },
  },
  retake: {
    label: 'Retake failures',
    done: 'requested again',
    effect: 'The failed pictures of each set are retaken, as its next round. Earlier pictures stay in its history.',
    hasNotes: false,
    obstacle: (row) => {
      if (isOpen(row)) return 'This set is not finished.';
      return totalsOf(row.counts).failed > 0 ? undefined : 'No picture of this set failed.';
    },
  },
};

function isBulkAction(name: unknown): name is BulkActionName {
  return typeof name === 'string' && Object.hasOwn(BULK_ACTIONS, name);
}

interface BulkResult {
  readonly row: SetOfRounds;
  /** Absent if the action succeeded. */
  readonly fault?: string;
}

/** One after the other, so that a fault of one set does not undo the others. */
async function actOnSets(
  options: PagesOptions,
  { viewer, actor }: Pick<ViewerRequest, 'viewer' | 'actor'>,
  { action, rows, notes }: { action: BulkActionName; rows: readonly SetOfRounds[]; notes: string },
): Promise<BulkResult[]> {
  const results: BulkResult[] = [];
  for (const row of rows) {
    try {
      if (action === 'retake') await retakeFailures(options, { viewer, actor }, row.id);
      else await actOnSet(options, { viewer, actor }, { id: row.id, action, notes });
      results.push({ row });
    } catch (error) {
      results.push({ row, fault: faultOf(options, row.id, error) });
    }
  }
  return results;
}

function faultOf({ log }: PagesOptions, setId: string, error: unknown): string {
  if (error instanceof Failure && error.status < 500) return failureMessage(error);
  log.error({ err: error, set_id: setId }, 'a bulk action failed for one set');
  return 'The action failed. Try again in a moment.';
}

async function retakeFailures(
  options: PagesOptions,
  { viewer: { organizationId }, actor }: Pick<ViewerRequest, 'viewer' | 'actor'>,
  setId: string,
): Promise<string> {
  const wish = retakeParser(options.limits)({ which: 'failures' });
  return options.store.db
    .transaction()
    .execute((tx) => repeatSet(tx, { organizationId, setId, kind: 'retake', wish, actor }, options));
}

/** The pages of actions on several sets: one asks for confirmation, the other shows the result for each set. */
export async function confirmationPage(options: PagesOptions, request: BulkRequest): Promise<ResultsPage> {
  const { viewer, paths, action } = request;
  if (!isBulkAction(action)) return messagePage('Nothing to do', 'The address contains no valid action.', 422);
  const rows = await readRounds(options.store.db, viewer.organizationId, validIds(request));
  if (rows.length === 0) return nothingSelected(request);
  const { label, effect, hasNotes } = BULK_ACTIONS[action];
  const { possible, others } = divide(rows, action);
  const isPossible = possible.length > 0;
  const notes = { name: 'notes', label: 'Notes for all sets', rows: 2, max: 10_000 };
  const doing = `${label}${action === 'retake' ? ' of' : ''} ${counted(possible.length, 'set')}`;
  const kind = action === 'approve' || action === 'retake' ? 'primary' : 'danger';
  const form = html`<form class="stack" method="post" action="${paths.sets}/bulk">${hiddenFields(viewer, paths.sets)}
<input type="hidden" name="action" value="${action}"><input type="hidden" name="back" value="${request.back}">
${possible.map(({ id }) => html`<input type="hidden" name="set" value="${id}">`)}
${hasNotes && textField(notes, EMPTY_FORM)}
<p class="actions">${button({ label: doing, kind })} ${backLink(request, 'Back without changes')}</p></form>`;
  const title = isPossible ? `${doing}?` : `${label}: not possible`;
  const rest = html`<section class="part">
    <h2>${counted(others.length, 'set')} will stay as ${others.length === 1 ? 'it is' : 'they are'}</h2>
    <ul class="items">${others.map(({ row, why }) => item(row, paths, why))}</ul>
  </section>`;
  const body = html`${pageHead({ title, meta: isPossible && effect })}
${isPossible && html`<ul class="items">${possible.map((row) => item(row, paths))}</ul>`}
${others.length > 0 && rest}
${isPossible ? form : html`<p>${backLink(request)}</p>`}`;
  return { title: `${label} sets`, section: 'campaigns', body };
}

function backLink(request: BulkRequest, label = 'Back to the list'): Html {
  return linkButton({ href: listAddress(request), label });
}

export async function bulkResultPage(
  options: PagesOptions,
  request: BulkRequest,
  { notes, actor }: { readonly notes: string; readonly actor: Actor },
): Promise<ResultsPage> {
  const { viewer, paths, action } = request;
  if (!isBulkAction(action)) return messagePage('Nothing to do', 'The form contains no valid action.', 422);
  const rows = await readRounds(options.store.db, viewer.organizationId, validIds(request));
  if (rows.length === 0) return nothingSelected(request);
  const results = await actOnSets(options, { viewer, actor }, { action, rows, notes });
  const failed = results.filter(({ fault }) => fault !== undefined);
  const done = results.length - failed.length;
  const { done: participle } = BULK_ACTIONS[action];
  const body = html`${pageHead({ title: `${done} of ${counted(results.length, 'set')} ${participle}` })}
<div role="status"><ul class="items">${results.map((result) => resultItem(result, paths))}</ul></div>
<p>${backLink(request)}</p>`;
  return { title: 'Result', section: 'campaigns', body };
}

function validIds({ ids }: BulkRequest): string[] {
  return [...new Set(ids.filter(isUuid).map((id) => id.toLowerCase()))].slice(0, SETS_MAX);
}

function divide(rows: readonly SetOfRounds[], action: BulkActionName) {
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
  const text = 'Select sets in the list, then choose what to do with them.';
  return {
    title: 'No set is selected',
    section: 'campaigns',
    status: 422,
    body: html`${pageHead({ title: 'No set is selected' })}<p>${text}</p><p>${backLink(request)}</p>`,
  };
}

function item(row: SetOfRounds, paths: PagePaths, why?: string): Html {
  return html`<li>
    <a href="${paths.set(row.id)}"><bdi>${setName(row)}</bdi></a> ${setBadge(row, totalsOf(row.counts))}
    <span class="meta">${progressLabel(totalsOf(row.counts))}, requested ${timeElement(row.created_at)}</span>
    ${why !== undefined && html`<span class="advice">${why}</span>`}
  </li>`;
}

function resultItem({ row, fault }: BulkResult, paths: PagePaths): Html {
  const outcome: HtmlContent =
    fault === undefined
      ? badge('active', 'Done')
      : html`${badge('failed', 'Not done')} <span class="fault">${fault}</span>`;
  return html`<li><a href="${paths.set(row.id)}"><bdi>${setName(row)}</bdi></a> ${outcome}</li>`;
}
