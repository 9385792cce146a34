/** How sets are approved, and how long the service keeps what it stores. */
import { readOrFail } from '../../api/public/endpoint.ts';
import { SettingsBody } from '../../contract/settings.ts';
import { requireOrganization } from '../../core/organizations/organizations.ts';
import { changeSettings, type SettingsChange } from '../../core/organizations/settings.ts';
import { type CurrentUsage, readCurrentUsage } from '../../core/organizations/usage.ts';
import type { Queryable } from '../../db/database.ts';
import { DEFAULT_QUOTAS, type DefaultQuotas } from '../../domain/quotas.ts';
import { ANSWER_DAYS, EVENT_DAYS, EXPORT_DAYS, SET_DAYS, UPLOAD_DAYS } from '../../domain/retention.ts';
import type { ReviewMode } from '../../domain/reviews.ts';
import { counted } from '../../domain/text.ts';
import { type Html, html } from '../../lib/html.ts';
import { button, facts, panel } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { EMPTY_FORM, type FormState, radio, textField } from '../parts/formFields.ts';
import { formField, hiddenFields } from '../parts/forms.ts';
import { ADMIN, type PageRoutes, type ViewerRequest } from '../routes/pageRoutes.ts';
import { addAction, framedPage } from './frame.ts';

interface RetentionChoice {
  readonly chosen: number | null;
  /** The days that the operator chose for organizations that chose nothing. */
  readonly defaultDays?: number | undefined;
  readonly form: FormState;
}

const NAME = 'set_retention_days';

const MODES: Readonly<Record<ReviewMode, { title: string; text: string }>> = {
  automatic: { title: 'Automatic', text: 'Finished sets are approved automatically, including those with failures.' },
  partial: {
    title: 'Only sets with failures wait',
    text: 'Complete sets are approved automatically. Sets with a failed picture wait for a review.',
  },
  manual: { title: 'All sets wait', text: 'Each set waits until a person approves or rejects it.' },
};

export function addGeneralRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/settings';
  const act = (tx: Queryable, { viewer, actor }: ViewerRequest, change: SettingsChange) =>
    changeSettings(tx, viewer.slug, change, actor);
  pages.get(path, (given) => generalPage(options, given), ADMIN);
  addAction(
    pages,
    { page: 'general', path },
    {
      read: ({ request }) => {
        const { review } = readOrFail(SettingsBody, { review: formField(request, 'review') });
        return { review: review ?? undefined };
      },
      act,
    },
  );
  addAction(
    pages,
    { page: 'general', path: `${path}/retention` },
    {
      read: ({ request }) => {
        const text = formField(request, NAME).trim();
        const { set_retention_days } = readOrFail(SettingsBody, { [NAME]: text === '' ? null : Number(text) });
        return { set_retention_days };
      },
      act,
      again: (given, form) => generalPage(options, given, form),
    },
  );
}

async function generalPage(
  { store, setRetentionDays, quotas = DEFAULT_QUOTAS }: PagesOptions,
  { viewer, paths }: Pick<ViewerRequest, 'viewer' | 'paths'>,
  form = EMPTY_FORM,
): Promise<ResultsPage> {
  const chosen = await requireOrganization(store.db, viewer.slug);
  const path = paths.settings();
  const current = await readCurrentUsage(store.db, viewer.organizationId);
  const choice = ([mode, { title, text }]: [string, { title: string; text: string }]) =>
    radio({
      name: 'review',
      value: mode,
      label: html`<strong>${title}</strong><br>${text}`,
      isChecked: mode === chosen.review,
    });
  const review = html`<p>An approved set is sent to its receivers. A change applies to sets that finish from now on.</p>
<form class="stack" method="post" action="${path}">${hiddenFields(viewer, path)}
<fieldset><legend>When a set has finished</legend>${Object.entries(MODES).map(choice)}</fieldset>
${button({ label: 'Save', kind: 'primary' })}</form>`;
  const retention = { chosen: chosen.set_retention_days, defaultDays: setRetentionDays, form };
  const body = html`${panel('Review', review)}
${panel('Retention', html`${RETENTION}<form class="stack" method="post" action="${path}/retention">${hiddenFields(viewer, path)}${retentionField(retention)}${button({ label: 'Change retention', kind: 'primary' })}</form>${retentionFacts(retention)}`)}
${panel('Usage', usage(current, quotas))}`;
  return framedPage({ viewer, paths }, 'general', { body, status: form.status });
}

function usage(current: CurrentUsage, quotas: DefaultQuotas): Html {
  const { picturesToday, runningCaptures } = current;
  const perDay = current.pictures_per_day ?? quotas.picturesPerDay;
  const captures = current.running_captures ?? quotas.runningCaptures;
  const count = (number: number) => number.toLocaleString('en');
  return html`<p>The operator sets these limits. The API reports the usage of each day.</p>
${facts([
  [
    'Pictures requested today (UTC)',
    `${count(picturesToday)} ${perDay === undefined ? '(no limit)' : `of ${count(perDay)}`}`,
  ],
  ['Running captures', `${count(runningCaptures)} of ${count(captures)}; others wait.`],
])}`;
}

const RETENTION = html`<p>A set is removed with its pictures, reviews, share links and exports. Its addresses then show that it was removed. Ads, their previews and events stay. Nothing that was removed can be restored.</p>`;

/** How long the organization keeps its sets. */
function retentionField({ chosen, defaultDays, form }: RetentionChoice): Html {
  const days = {
    name: NAME,
    label: 'Remove sets this many days after their request',
    value: chosen ?? '',
    placeholder: String(defaultDays ?? 'no limit'),
    hint: 'Leave empty to use the number that the operator chose. A smaller number removes older sets within minutes.',
    more: html` min="${SET_DAYS.min}" max="${SET_DAYS.max}"`,
  };
  return textField({ ...days, type: 'number' }, form);
}

function retentionFacts({ chosen, defaultDays }: RetentionChoice): Html {
  const sets = chosen ?? defaultDays;
  return facts([
    [
      'Sets and their pictures',
      sets === undefined ? 'They stay until they are deleted.' : `${counted(sets, 'day')} after the request.`,
    ],
    ['Events and their deliveries', `${counted(EVENT_DAYS, 'day')}, or longer while a delivery is waiting.`],
    ['Answers to requests', `${counted(ANSWER_DAYS, 'day')}.`],
    ['Ads and their previews', 'No limit.'],
    ['Files of exports', `${counted(EXPORT_DAYS, 'day')}; an export can be built again while its set is kept.`],
    ['Uploads', `As long as an ad uses them; unused ones for ${counted(UPLOAD_DAYS, 'day')}.`],
    ['Creatives from the new request page', `If no request uses them, ${counted(UPLOAD_DAYS, 'day')}.`],
    ['Share links', 'Until the date that was chosen for each one.'],
  ]);
}
