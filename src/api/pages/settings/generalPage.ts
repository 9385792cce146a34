/** How sets are approved, and how long the service keeps what it stores. */

import { DEFAULT_QUOTAS, type DefaultQuotas } from '../../../domain/quotas.ts';
import { NO_RETENTION, RETENTION_DAYS_MAX, type RetentionLimits, retentionDays } from '../../../domain/retention.ts';
import type { ReviewMode } from '../../../domain/reviews.ts';
import { requireOrganization } from '../../../store/organizations/organizations.ts';
import { type CurrentUsage, readCurrentUsage } from '../../../store/usage/usage.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, html } from '../html.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { settingsPage } from './settingsPage.ts';

const MODES: Readonly<Record<ReviewMode, { title: string; text: string }>> = {
  automatic: { title: 'Automatic', text: 'Finished sets approve themselves, also those with failures.' },
  partial: {
    title: 'Only sets with failures wait',
    text: 'Complete sets approve themselves. Sets with a failed screenshot wait for a review.',
  },
  manual: { title: 'All sets wait', text: 'Each set waits until a person approves or rejects it.' },
};

export async function generalPage(
  { store, uploadLimits, retention = NO_RETENTION, quotas = DEFAULT_QUOTAS }: PagesOptions,
  { viewer, paths }: Pick<ViewerRequest, 'viewer' | 'paths'>,
): Promise<ResultsPage> {
  const { review, set_retention_days: chosen } = await requireOrganization(store.db, viewer.slug);
  const path = paths.settings();
  const current = await readCurrentUsage(store.db, viewer.organizationId);
  const choice = ([mode, { title, text }]: [string, { title: string; text: string }]) =>
    html`<label class="check"><input type="radio" name="review" value="${mode}"${mode === review && html` checked`}> <span><strong>${title}</strong><br>${text}</span></label>`;
  const body = html`<section class="panel"><h2>Review</h2>
<p>An approved set is sent to its subscribers, and its pictures are listed as approved. A change applies to sets that finish from now on.</p>
<form class="stack" method="post" action="${path}">${hiddenFields(viewer, path)}
<fieldset><legend>When a set has finished</legend>${Object.entries(MODES).map(choice)}</fieldset>
<button class="primary">Save</button></form></section>
${retentionPanel({ path, hidden: hiddenFields(viewer, path) }, { chosen, days: retentionDays(chosen, retention), limits: retention }, uploadLimits.days)}
${usagePanel(current, quotas)}`;
  return settingsPage({ paths, current: 'general', body });
}

function usagePanel(current: CurrentUsage, quotas: DefaultQuotas): Html {
  const { picturesToday, runningCaptures } = current;
  const perDay = current.pictures_per_day ?? quotas.picturesPerDay;
  const captures = current.running_captures ?? quotas.runningCaptures;
  const count = (number: number) => number.toLocaleString('en');
  return html`<section class="panel"><h2>Usage</h2>
<p>The operator sets these limits. The API has the use of each day.</p>
<dl class="facts">
  <dt>Screenshots requested today (UTC)</dt><dd>${count(picturesToday)} ${perDay === undefined ? '(no limit)' : `of ${count(perDay)}`}</dd>
  <dt>Running captures</dt><dd>${count(runningCaptures)} of ${count(captures)}; others wait.</dd>
</dl></section>`;
}

interface RetentionChoice {
  /** The choice of the organization. */
  readonly chosen: number | null;
  /** The days that apply. */
  readonly days: number | null;
  readonly limits: RetentionLimits;
}

function retentionPanel(form: { path: string; hidden: Html }, choice: RetentionChoice, uploadDays: number): Html {
  const { chosen, days, limits } = choice;
  const max = limits.maxDays ?? RETENTION_DAYS_MAX;
  const kept = days === null ? 'They stay until they are deleted.' : `${days} days after the request.`;
  return html`<section class="panel"><h2>Retention</h2>
<p>A set is removed with its pictures, reviews, share links, exports, deliveries and events. Its addresses then say that it was removed. Ads and their previews stay. A removed set cannot be restored.</p>
<form class="stack" method="post" action="${form.path}/retention">${form.hidden}
<label for="set_retention_days">Remove sets this many days after their request</label>
<input id="set_retention_days" name="set_retention_days" type="number" min="1" max="${max}" value="${chosen ?? ''}" aria-describedby="retention-hint">
<p id="retention-hint" class="hint">Leave it empty to keep sets as the operator chose.${limits.maxDays !== undefined && html` At most ${limits.maxDays} days.`} A smaller number removes older sets within minutes.</p>
<button class="primary">Change retention</button></form>
<dl class="facts">
  <dt>Sets and their pictures</dt><dd>${kept}</dd>
  <dt>Ads and their previews</dt><dd>No limit.</dd>
  <dt>Files of exports</dt><dd>Seven days; an export can be built again while its set is kept.</dd>
  <dt>Uploads</dt><dd>As long as an ad uses them; unused ones for ${uploadDays} days.</dd>
  <dt>Share links</dt><dd>Until the date that was chosen for each one.</dd>
</dl></section>`;
}
