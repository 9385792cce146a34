/** How sets are approved, and how long the service keeps what it stores. */
import { CheckSettings, RULE_IDS } from '../../contract/creativeCheck.ts';
import { SettingsBody } from '../../contract/settings.ts';
import { requireOrganization } from '../../core/organizations/organizations.ts';
import { changeSettings, type SettingsChange } from '../../core/organizations/settings.ts';
import { type CurrentUsage, readCurrentUsage } from '../../core/organizations/usage.ts';
import type { Queryable } from '../../db/database.ts';
import { DEFAULT_QUOTAS, type DefaultQuotas } from '../../domain/quotas.ts';
import { ANSWER_DAYS, EVENT_DAYS, EXPORT_DAYS, UPLOAD_DAYS } from '../../domain/retention.ts';
import type { ReviewMode } from '../../domain/reviews.ts';
import { counted } from '../../domain/text.ts';
import { LANGUAGE_CHOICES } from '../../domain/texts/languages.ts';
import { type Html, html } from '../../lib/html.ts';
import { facts, panel } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { type Choice, EMPTY_FORM, type FormState, TIME_ZONE_CHOICES } from '../parts/formFields.ts';
import { formTable, readForm, renderForm } from '../parts/formTable.ts';
import { ADMIN, type PageRoutes, type ViewerRequest } from '../routes/pageRoutes.ts';
import { addAction, framedPage } from '../routes/settingsFrame.ts';

const MODES: Readonly<Record<ReviewMode, { title: string; text: string }>> = {
  automatic: { title: 'Automatic', text: 'Finished sets are approved automatically, including those with failures.' },
  partial: {
    title: 'Only sets with failures wait',
    text: 'Complete sets are approved automatically. Sets with a failed picture wait for a review.',
  },
  manual: { title: 'All sets wait', text: 'Each set waits until a person approves or rejects it.' },
};

const REVIEW = formTable(SettingsBody, {
  review: {
    kind: 'radios',
    label: 'When a set has finished',
    read: (text) => text,
    choices: Object.entries(MODES).map(
      ([mode, { title, text }]): Choice => [mode, html`<strong>${title}</strong><br>${text}`],
    ),
  },
});

const LOCALE = formTable(SettingsBody, {
  language: { kind: 'select', label: 'Language', choices: LANGUAGE_CHOICES },
  time_zone: { kind: 'select', label: 'Time zone', choices: TIME_ZONE_CHOICES },
});

const RETENTION = formTable(SettingsBody, {
  set_retention_days: {
    kind: 'number',
    label: 'Remove sets this many days after their request',
    hint: 'Leave empty to use the number that the operator chose. A smaller number removes older sets within minutes.',
  },
});

const limit = (label: string) =>
  ({ kind: 'number', label, hint: 'Leave empty to use the figure of the IAB.' }) as const;
const wordsOf = (rule: string) => `${rule[0]?.toUpperCase()}${rule.slice(1).replaceAll('_', ' ')}`;
const choices = RULE_IDS.map((rule): Choice => [rule, wordsOf(rule)]);
const CHECK = formTable(CheckSettings, {
  initial_load_kb: limit('First load (kB)'),
  total_weight_kb: limit('Total weight (kB)'),
  requests: limit('Requests of the first load'),
  rules: {
    kind: 'details',
    label: 'Rules',
    fields: { switched_off: { kind: 'checkboxes', prefix: 'off_', label: 'Switched off', choices } },
  },
});

export function addGeneralRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/settings';
  const reading =
    (table: typeof REVIEW) =>
    ({ request }: ViewerRequest): SettingsChange =>
      readForm(table, request);
  const act = (tx: Queryable, { viewer, actor }: ViewerRequest, change: SettingsChange) =>
    changeSettings(tx, viewer.slug, change, actor);
  pages.get(path, (given) => generalPage(options, given), ADMIN);
  addAction(pages, { page: 'general', path }, { read: reading(REVIEW), act });
  const readCheck = ({ request }: ViewerRequest) => ({ creative_check: readForm(CHECK, request) });
  for (const [name, read] of [
    ['retention', reading(RETENTION)],
    ['locale', reading(LOCALE)],
    ['creative_check', readCheck],
  ] as const)
    addAction(
      pages,
      { page: 'general', path: `${path}/${name}` },
      { read, act, again: (given, form) => generalPage(options, given, { [name]: form }) },
    );
}

async function generalPage(
  { store, setRetentionDays, quotas = DEFAULT_QUOTAS }: PagesOptions,
  { viewer, paths }: Pick<ViewerRequest, 'viewer' | 'paths'>,
  forms: Readonly<Record<string, FormState>> = {},
): Promise<ResultsPage> {
  const stored = await requireOrganization(store.db, viewer.slug);
  const current = await readCurrentUsage(store.db, viewer.organizationId);
  const frame = { viewer, page: paths.settings(), className: 'stack', stored } as const;
  const review = renderForm(REVIEW, { ...frame, submit: 'Save' });
  const locale = renderForm(LOCALE, {
    ...frame,
    action: `${frame.page}/locale`,
    form: forms['locale'] ?? EMPTY_FORM,
    submit: 'Change language and time zone',
  });
  const retention = renderForm(RETENTION, {
    ...frame,
    action: `${frame.page}/retention`,
    form: forms['retention'] ?? EMPTY_FORM,
    known: { set_retention_days: { placeholder: String(setRetentionDays ?? 'no limit') } },
    submit: 'Change retention',
  });
  const check = renderForm(CHECK, {
    ...frame,
    action: `${frame.page}/creative_check`,
    stored: stored.creative_check,
    form: forms['creative_check'] ?? EMPTY_FORM,
    submit: 'Change limits and rules',
  });
  const body = html`${panel('Review', html`${REVIEW_TEXT}${review}`)}
${panel('Language and time zone', html`<p>E-mails, PowerPoint and PDF files use the language, and these files the time zone.</p>${locale}`)}
${panel('Retention', html`${RETENTION_TEXT}${retention}${retentionFacts(stored.set_retention_days ?? setRetentionDays)}`)}
${panel('Creative check', html`${CHECK_TEXT}${check}`, { id: 'creative-check' })}
${panel('Usage', usage(current, quotas))}`;
  const [{ status } = EMPTY_FORM] = Object.values(forms);
  return framedPage({ viewer, paths }, 'general', { body, status });
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

const REVIEW_TEXT = html`<p>An approved set is sent to its receivers. A change applies to sets that finish from now on.</p>`;

const CHECK_TEXT = html`<p>The page of each ad shows what an ad server will say of its creative.
A change applies at once, also to ads that were rendered before.</p>`;

const RETENTION_TEXT = html`<p>A set is removed with its pictures, reviews, share links and exports.
Its addresses then show that it was removed. Ads, their previews and events stay.
Nothing that was removed can be restored.</p>`;

/** @param sets the days for which sets are kept; undefined: without an end. */
function retentionFacts(sets: number | undefined): Html {
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
