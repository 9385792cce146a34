/** How sets are approved, and how long the service keeps what it stores. */
import { SettingsBody } from '../../contract/settings.ts';
import { requireOrganization } from '../../core/organizations/organizations.ts';
import { changeSettings, type SettingsChange } from '../../core/organizations/settings.ts';
import { type CurrentUsage, readCurrentUsage } from '../../core/organizations/usage.ts';
import { DEFAULT_QUOTAS, type DefaultQuotas } from '../../domain/quotas.ts';
import { ANSWER_DAYS, EVENT_DAYS, EXPORT_DAYS, SET_DAYS, UPLOAD_DAYS } from '../../domain/retention.ts';
import type { ReviewMode } from '../../domain/reviews.ts';
import { type Html, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { answerForm, EMPTY_FORM, type FormState, faultOf, readFields } from '../fields.ts';
import { formField, hiddenFields } from '../forms.ts';
import { ADMIN, type PageRoutes, redirectTo, type ViewerRequest } from '../pageRoutes.ts';
import { settingsPage } from './frame.ts';

interface RetentionChoice {
  readonly path: string;
  /** The hidden fields of the form. */
  readonly hidden: Html;
  readonly chosen: number | null;
  /** The days that the operator chose for organizations that chose nothing. */
  readonly defaultDays?: number | undefined;
  readonly form: FormState;
}

const NAME = 'set_retention_days';

const MODES: Readonly<Record<ReviewMode, { title: string; text: string }>> = {
  automatic: { title: 'Automatic', text: 'Finished sets approve themselves, also those with failures.' },
  partial: {
    title: 'Only sets with failures wait',
    text: 'Complete sets approve themselves. Sets with a failed screenshot wait for a review.',
  },
  manual: { title: 'All sets wait', text: 'Each set waits until a person approves or rejects it.' },
};

export function addGeneralRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/settings';
  const save = async (given: ViewerRequest, change: SettingsChange) => {
    const { viewer, actor, paths } = given;
    await options.store.db.transaction().execute((tx) => changeSettings(tx, viewer.slug, change, actor));
    return redirectTo(given, paths.settings(), 'saved');
  };
  pages.get(path, (given) => generalPage(options, given), ADMIN);
  pages.post(
    path,
    (given) => {
      const { review } = readFields(SettingsBody, { review: formField(given.request, 'review') });
      return save(given, { review: review ?? undefined });
    },
    ADMIN,
  );
  pages.post(
    `${path}/retention`,
    (given) =>
      answerForm(given, {
        run: async () => {
          const text = formField(given.request, NAME).trim();
          const { set_retention_days } = readFields(SettingsBody, { [NAME]: text === '' ? null : Number(text) });
          return save(given, { set_retention_days });
        },
        again: (form) => generalPage(options, given, form),
      }),
    ADMIN,
  );
}

async function generalPage(
  { store, setRetentionDays, quotas = DEFAULT_QUOTAS }: PagesOptions,
  { viewer, paths }: Pick<ViewerRequest, 'viewer' | 'paths'>,
  form = EMPTY_FORM,
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
  return settingsPage({ paths, current: 'general', body, status: form.status });
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

/** The form with which an organization chooses how long its sets are kept. */
function retentionPanel(given: RetentionChoice): Html {
  const { path, hidden, chosen, defaultDays, form } = given;
  const sets = chosen ?? defaultDays;
  const fault = form.errors[NAME] !== undefined;
  return html`<section class="panel"><h2>Retention</h2>
<p>A set is removed with its pictures, reviews, share links and exports. Its addresses then say that it was removed. Ads, their previews and events stay. Nothing that was removed can be restored.</p>
<form class="stack" method="post" action="${path}/retention">${hidden}
<label for="${NAME}">Remove sets this many days after their request</label>
<div><input id="${NAME}" name="${NAME}" type="number" min="${SET_DAYS.min}" max="${SET_DAYS.max}" value="${form.values[NAME] ?? chosen ?? ''}" placeholder="${defaultDays ?? 'no limit'}" aria-describedby="${fault && `${NAME}-fault `}retention-hint"${fault && html` aria-invalid="true"`}>
${faultOf(NAME, 'The number', form.errors)}</div>
<p id="retention-hint" class="hint">Leave the field empty to keep sets as the operator chose. A smaller number removes older sets within minutes.</p>
<button class="primary">Change retention</button></form>
<dl class="facts">
  <dt>Sets and their pictures</dt><dd>${sets === undefined ? 'They stay until they are deleted.' : `${count(sets)} after the request.`}</dd>
  <dt>Events and their deliveries</dt><dd>${count(EVENT_DAYS)}, and as long as a delivery waits.</dd>
  <dt>Answers to requests</dt><dd>${count(ANSWER_DAYS)}.</dd>
  <dt>Ads and their previews</dt><dd>No limit.</dd>
  <dt>Files of exports</dt><dd>${count(EXPORT_DAYS)}; an export can be built again while its set is kept.</dd>
  <dt>Uploads</dt><dd>As long as an ad uses them; unused ones for ${count(UPLOAD_DAYS)}.</dd>
  <dt>Creatives of the page of a new request</dt><dd>If no request uses them, ${count(UPLOAD_DAYS)}.</dd>
  <dt>Share links</dt><dd>Until the date that was chosen for each one.</dd>
</dl></section>`;
}

const count = (days: number) => (days === 1 ? '1 day' : `${days.toLocaleString('en')} days`);
