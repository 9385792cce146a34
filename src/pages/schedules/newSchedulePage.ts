/** The form of a new schedule, which repeats a set or a template. */
import { NewScheduleFields } from '../../contract/schedules.ts';
import { listNamed } from '../../core/requests/savedObjects.ts';
import { datesIn, instantOf } from '../../core/schedules/rules.ts';
import type { ScheduleRow } from '../../core/schedules/scheduleQueries.ts';
import { readSetHead } from '../../core/sets/readSet.ts';
import { isTimeZone } from '../../domain/exports.ts';
import { TEMPLATES_MAX } from '../../domain/savedObjects.ts';
import { DAYS, SCHEDULE_DAYS_DEFAULT, WEEKDAYS, WINDOW_HOURS_MAX } from '../../domain/schedules.ts';
import { setName } from '../../domain/setNames.ts';
import { isUuid } from '../../domain/slugs.ts';
import { type Html, html } from '../../lib/html.ts';
import type { PageOptions } from '../lists/campaignsPage.ts';
import { button, emptyState, linkButton, pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { type Choice, EMPTY_FORM, type FormState, TIME_ZONE_CHOICES } from '../parts/formFields.ts';
import { hiddenFields } from '../parts/forms.ts';
import { formTable, renderFields, renderForm, type Typed } from '../parts/formTable.ts';

const MISSED_CHOICES = [
  ['skip', 'Skip it'],
  ['once', 'Run it once, as soon as possible'],
] as const;
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const LAST_MINUTE = 24 * 60 - 1;
/** A cron expression takes the place of a window. */
const inWindow =
  <T>(read: (text: string, typed: Typed) => T) =>
  (text: string, typed: Typed) =>
    typed('rule.cron').trim() === '' ? read(text, typed) : undefined;

const CLOCK = {
  max: 5,
  more: html` inputmode="numeric" pattern="[0-2][0-9]:[0-5][0-9]"`,
  read: inWindow((text) => text),
};

/** The minute of a day in the zone of the form. A text that is no day stays as it is. */
const instant = (minutes: number) => (date: string, typed: Typed) => {
  const zone = typed('time_zone');
  return isTimeZone(zone) ? (instantOf(date, minutes, zone)?.toISOString() ?? date) : undefined;
};

export const SCHEDULE = formTable(NewScheduleFields, {
  set: { kind: 'hidden', label: 'Set', path: 'screenshot_set.id' },
  template: {
    kind: 'select',
    label: 'Template',
    path: 'template.id',
    faultsAt: 'template',
    hint: 'It must have ads, sites, devices and a campaign. Later changes to it have no effect.',
    read: (id, typed) => (typed('set') === '' ? id : undefined),
  },
  name: { label: 'Name' },
  'rule.days': {
    kind: 'checkboxes',
    label: 'Days',
    prefix: 'day_',
    choices: [...WEEKDAYS, 'saturday', 'sunday'].map((day): Choice => [day, capitalized(day)]),
    value: WEEKDAYS,
    read: inWindow((_, typed) => DAYS.filter((day) => typed(`day_${day}`) !== '')),
  },
  'rule.start': { label: 'Not before', value: '08:00', ...CLOCK },
  'rule.end': {
    label: 'Before',
    value: '10:00',
    ...CLOCK,
    hint: `At most ${WINDOW_HOURS_MAX} hours later. Each day has one run, between these times.`,
  },
  time_zone: { kind: 'select', label: 'Time zone', choices: TIME_ZONE_CHOICES },
  from: { kind: 'date', label: 'First day', read: instant(0) },
  to: { kind: 'date', label: 'Last day', read: instant(LAST_MINUTE) },
  missed: {
    kind: 'select',
    label: 'A missed run',
    choices: MISSED_CHOICES,
    hint: 'If the service is not running at the scheduled time.',
  },
  cron: {
    kind: 'details',
    label: 'A cron expression instead of days and times',
    fields: { 'rule.cron': { label: 'Cron expression', placeholder: '30 8 * * 1-5' } },
  },
});

/** @param setId '' to begin with a template. @returns undefined for a set that the organization does not have. */
export async function newSchedulePage(
  { store: { db } }: PagesOptions,
  { viewer, paths }: PageOptions,
  { setId, form = EMPTY_FORM }: { readonly setId: string; readonly form?: FormState },
): Promise<ResultsPage | undefined> {
  const { organizationId } = viewer;
  const set = isUuid(setId) ? await readSetHead(db, { id: setId, organizationId }) : undefined;
  if (setId !== '' && set === undefined) return undefined;
  const { rows } = await listNamed(db, 'request_templates', { organizationId }, { page: 1, perPage: TEMPLATES_MAX });
  const meta =
    set &&
    html`Each run takes the pictures of <a href="${paths.set(set.id)}"><bdi>${setName(set)}</bdi></a> again, in a separate set.`;
  const source =
    set === undefined ? { template: { choices: rows.map(({ id, name }): Choice => [id, name]) } } : { template: null };
  const none = emptyState({
    title: 'No templates yet',
    text: 'Open a set, and choose “Repeat this request” in its menu. Or save a new request as a template.',
    action: linkButton({ href: paths.newRequest, label: 'New request', icon: 'plus' }),
  });
  const zone = Object.keys(form.values).length === 0 ? { more: html` data-own-zone` } : {};
  const known = {
    ...source,
    time_zone: zone,
    from: { value: dateIn(0) },
    to: { value: dateIn(SCHEDULE_DAYS_DEFAULT) },
  };
  const filled = html`<form class="panel fields" method="post" action="${paths.schedules}">
    ${hiddenFields(viewer, paths.schedules)}${set && html`<input type="hidden" name="set" value="${set.id}">`}
    ${renderFields(SCHEDULE, { form, known })}
    ${button({ label: 'Create schedule', kind: 'primary' })}
  </form>`;
  const body = html`${pageHead({ title: 'New schedule', up: { href: paths.schedules, label: 'Schedules' }, meta })}
${set === undefined && rows.length === 0 ? none : filled}`;
  return { title: 'New schedule', section: 'campaigns', status: form.status, body };
}

/** The form of a schedule that exists, for the box on its page. Its request stays. */
export function changeForm(row: ScheduleRow, { viewer, paths }: PageOptions, form: FormState = EMPTY_FORM): Html {
  const path = paths.schedule(row.id);
  const dates = datesIn(row.time_zone);
  const { name, rule, time_zone, missed, starts_at, ends_at } = row;
  const window = 'cron' in rule ? { 'rule.cron': rule.cron } : prefixed('rule.', rule);
  const stored = { name, time_zone, missed, from: dates.format(starts_at), to: dates.format(ends_at), ...window };
  return renderForm(SCHEDULE, {
    ...{ viewer, form, stored, page: path, action: `${path}/change`, known: { template: null }, submit: 'Save' },
  });
}

const prefixed = (prefix: string, values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));

/** @returns the UTC date after these days. */
const dateIn = (days: number) => datesIn('UTC').format(new Date(Date.now() + days * 86_400_000));
