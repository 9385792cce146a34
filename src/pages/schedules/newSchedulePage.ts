/** The form of a new schedule, which repeats a set or a template. */
import type { JsonObject } from '../../contract/faults.ts';
import { listNamed } from '../../core/requests/savedObjects.ts';
import { datesIn, instantOf } from '../../core/schedules/rules.ts';
import { readSetHead } from '../../core/sets/readSet.ts';
import { isTimeZone } from '../../domain/exports.ts';
import { TEMPLATES_MAX } from '../../domain/savedObjects.ts';
import {
  CRON_MAX,
  DAYS,
  SCHEDULE_DAYS_DEFAULT,
  SCHEDULE_NAME_MAX,
  WEEKDAYS,
  WINDOW_HOURS_MAX,
} from '../../domain/schedules.ts';
import { setName } from '../../domain/setNames.ts';
import { isUuid } from '../../domain/slugs.ts';
import { html } from '../../lib/html.ts';
import type { PageOptions } from '../lists/campaignsPage.ts';
import { button, emptyState, linkButton, pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import {
  checkbox,
  checkboxes,
  EMPTY_FORM,
  type FormState,
  otherFaults,
  selectField,
  textField,
} from '../parts/formFields.ts';
import { hiddenFields } from '../parts/forms.ts';

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => [name, name] as const);
const MISSED_CHOICES = [
  ['skip', 'Skip it'],
  ['once', 'Run it once, as soon as possible'],
] as const;
const FIELDS = ['name', 'rule', 'time_zone', 'from', 'to', 'missed', 'template'];
const LAST_MINUTE = 24 * 60 - 1;

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
  const choices = rows.map(({ id, name }) => [id, name] as const);
  const hint = 'It must have ads, sites, devices and a campaign. Later changes to it have no effect.';
  const [meta, source] =
    set === undefined
      ? ['', selectField({ name: 'template', label: 'Template', choices, hint }, form)]
      : [
          html`Each run takes the pictures of <a href="${paths.set(set.id)}"><bdi>${setName(set)}</bdi></a> again, in a separate set.`,
          html`<input type="hidden" name="set" value="${set.id}">`,
        ];
  const none = emptyState({
    title: 'No templates yet',
    text: 'Open a set, and choose “Repeat this request” in its menu. Or save a new request as a template.',
    action: linkButton({ href: paths.newRequest, label: 'New request', icon: 'plus' }),
  });
  const filled = html`<form class="panel fields" method="post" action="${paths.schedules}">${hiddenFields(viewer, paths.schedules)}
${source}${fieldsOf(form)}${button({ label: 'Create schedule', kind: 'primary' })}</form>`;
  const body = html`${pageHead({ title: 'New schedule', up: { href: paths.schedules, label: 'Schedules' }, meta })}
${set === undefined && rows.length === 0 ? none : filled}`;
  return { title: 'New schedule', section: 'campaigns', status: form.status, body };
}

function fieldsOf(form: FormState) {
  const isNew = Object.keys(form.values).length === 0;
  const day = (name: (typeof DAYS)[number]) =>
    checkbox({
      name: `day_${name}`,
      label: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      isChecked: isNew ? WEEKDAYS.some((one) => one === name) : form.values[`day_${name}`] !== undefined,
    });
  const clock = { max: 5, more: html` inputmode="numeric" pattern="[0-2][0-9]:[0-5][0-9]"` };
  const days = [...WEEKDAYS, 'saturday', 'sunday'] as const;
  const today = Date.now();
  const date = (ahead: number) => datesIn('UTC').format(new Date(today + ahead * 86_400_000));
  return html`${otherFaults(form.errors, FIELDS)}
${textField({ name: 'name', label: 'Name', isRequired: true, max: SCHEDULE_NAME_MAX }, form)}
${checkboxes({ name: 'rule.days', label: 'Days' }, days.map(day), form.errors)}
${textField({ name: 'rule.start', label: 'Not before', value: '08:00', ...clock }, form)}
${textField({ name: 'rule.end', label: 'Before', value: '10:00', ...clock, hint: `At most ${WINDOW_HOURS_MAX} hours later. Each day has one run, between these times.` }, form)}
${selectField({ name: 'time_zone', label: 'Time zone', choices: ZONES, more: isNew && html` data-own-zone` }, form)}
${textField({ name: 'from', label: 'First day', type: 'date', value: date(0) }, form)}
${textField({ name: 'to', label: 'Last day', type: 'date', value: date(SCHEDULE_DAYS_DEFAULT) }, form)}
${selectField({ name: 'missed', label: 'A missed run', choices: MISSED_CHOICES, hint: 'If the service is not running at the scheduled time.' }, form)}
<details${form.values['rule.cron'] && html` open`}><summary>A cron expression instead of days and times</summary>${textField({ name: 'rule.cron', label: 'Cron expression', max: CRON_MAX, placeholder: '30 8 * * 1-5' }, form)}</details>`;
}

/** @returns the form as the body of the API. */
export function scheduleBody(field: (name: string) => string): JsonObject {
  const [cron, time_zone, set] = [field('rule.cron').trim(), field('time_zone'), field('set')];
  const instant = (name: string, minutes: number) => {
    const date = field(name);
    return isTimeZone(time_zone) ? (instantOf(date, minutes, time_zone)?.toISOString() ?? date) : undefined;
  };
  const days = DAYS.filter((day) => field(`day_${day}`) !== '');
  return {
    ...{ name: field('name'), time_zone, missed: field('missed') },
    rule: cron === '' ? { days, start: field('rule.start'), end: field('rule.end') } : { cron },
    ...{ from: instant('from', 0), to: instant('to', LAST_MINUTE) },
    ...(set === '' ? { template: { id: field('template') } } : { screenshot_set: { id: set } }),
  };
}
