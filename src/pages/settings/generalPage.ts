/** How sets are approved, and how long the service keeps what it stores. */

import { requireOrganization } from '../../core/organizations/organizations.ts';
import { type CurrentUsage, readCurrentUsage } from '../../core/organizations/usage.ts';
import { DEFAULT_QUOTAS, type DefaultQuotas } from '../../domain/quotas.ts';
import type { ReviewMode } from '../../domain/reviews.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, html } from '../html.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import type { FormState } from './adminHandlers.ts';
import { retentionPanel } from './retentionPanel.ts';
import { settingsPage } from './settingsPage.ts';

const MODES: Readonly<Record<ReviewMode, { title: string; text: string }>> = {
  automatic: { title: 'Automatic', text: 'Finished sets approve themselves, also those with failures.' },
  partial: {
    title: 'Only sets with failures wait',
    text: 'Complete sets approve themselves. Sets with a failed screenshot wait for a review.',
  },
  manual: { title: 'All sets wait', text: 'Each set waits until a person approves or rejects it.' },
};

interface GeneralPageState {
  readonly status?: number;
  /** The form of the retention, if it has faults. */
  readonly form?: FormState;
}

export async function generalPage(
  { store, setRetentionDays, quotas = DEFAULT_QUOTAS }: PagesOptions,
  { viewer, paths }: Pick<ViewerRequest, 'viewer' | 'paths'>,
  { status = 200, form }: GeneralPageState = {},
): Promise<ResultsPage> {
  const chosen = await requireOrganization(store.db, viewer.slug);
  const { review } = chosen;
  const path = paths.settings();
  const current = await readCurrentUsage(store.db, viewer.organizationId);
  const choice = ([mode, { title, text }]: [string, { title: string; text: string }]) =>
    html`<label class="check"><input type="radio" name="review" value="${mode}"${mode === review && html` checked`}> <span><strong>${title}</strong><br>${text}</span></label>`;
  const body = html`<section class="panel"><h2>Review</h2>
<p>An approved set is sent to its subscribers, and its pictures are listed as approved. A change applies to sets that finish from now on.</p>
<form class="stack" method="post" action="${path}">${hiddenFields(viewer, path)}
<fieldset><legend>When a set has finished</legend>${Object.entries(MODES).map(choice)}</fieldset>
<button class="primary">Save</button></form></section>
${retentionPanel({ path, hidden: hiddenFields(viewer, path), chosen: chosen.set_retention_days, defaultDays: setRetentionDays, form })}
${usagePanel(current, quotas)}`;
  return settingsPage({ paths, current: 'general', body, status });
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
