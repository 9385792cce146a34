/** The form with which an organization chooses how long its objects are kept. */
import {
  type ChosenRetention,
  DEFAULT_RETENTION,
  maxRetention,
  RETENTION_BOUNDS,
  type RetentionPolicy,
  type RetentionSetting,
  retentionPeriods,
} from '../../../domain/retention.ts';
import { type Html, html } from '../html.ts';
import { EMPTY_FORM, type FormState } from './adminHandlers.ts';
import { faultOf } from './fields.ts';

const FIELDS: readonly (readonly [RetentionSetting, string])[] = [
  ['set_retention_days', 'Remove sets this many days after their request'],
  ['event_retention_days', 'Remove events this many days after they were recorded'],
  ['delivery_retention_days', 'Remove deliveries this many days after they ended'],
  ['request_retention_days', 'Remove answers to requests with an idempotency key after this many days'],
];

interface RetentionChoice {
  readonly path: string;
  /** The hidden fields of the form. */
  readonly hidden: Html;
  readonly chosen: ChosenRetention;
  readonly policy?: RetentionPolicy | undefined;
  /** Days of uploads and creatives that nothing uses. */
  readonly uploadDays: number;
  /** The values that a person typed, if they have faults. */
  readonly form?: FormState | undefined;
}

export function retentionPanel(given: RetentionChoice): Html {
  const { path, hidden, chosen, policy = DEFAULT_RETENTION, uploadDays, form = EMPTY_FORM } = given;
  const periods = retentionPeriods(chosen, policy);
  const sets = periods.set_retention_days;
  return html`<section class="panel"><h2>Retention</h2>
<p>A set is removed with its pictures, reviews, share links, exports, deliveries and events. Its addresses then say that it was removed. Ads and their previews stay. Nothing that was removed can be restored.</p>
<form class="stack" method="post" action="${path}/retention">${hidden}
${FIELDS.map(([name, label]) => dayField({ name, label, chosen: chosen[name], policy }, form))}
<p id="retention-hint" class="hint">Leave a field empty to keep the objects as the operator chose. A smaller number removes older objects within minutes. A delivery is kept at most as long as its event, and a delivery that still waits is never removed.</p>
<button class="primary">Change retention</button></form>
<dl class="facts">
  <dt>Sets and their pictures</dt><dd>${sets === null ? 'They stay until they are deleted.' : `${count(sets)} after the request.`}</dd>
  <dt>Events</dt><dd>${count(periods.event_retention_days)}, and as long as a delivery waits.</dd>
  <dt>Deliveries and their attempts</dt><dd>${count(periods.delivery_retention_days)} after the end of the delivery.</dd>
  <dt>Answers to requests</dt><dd>${count(periods.request_retention_days)}.</dd>
  <dt>Ads and their previews</dt><dd>No limit.</dd>
  <dt>Files of exports</dt><dd>Seven days; an export can be built again while its set is kept.</dd>
  <dt>Uploads</dt><dd>As long as an ad uses them; unused ones for ${uploadDays} days.</dd>
  <dt>Creatives of the page of a new request</dt><dd>If no request uses them, ${uploadDays} days.</dd>
  <dt>Share links</dt><dd>Until the date that was chosen for each one.</dd>
</dl></section>`;
}

const count = (days: number) => (days === 1 ? '1 day' : `${days.toLocaleString('en')} days`);

interface DayField {
  readonly name: RetentionSetting;
  readonly label: string;
  readonly chosen: number | null;
  readonly policy: RetentionPolicy;
}

function dayField({ name, label, chosen, policy }: DayField, { values, errors }: FormState): Html {
  const fault = errors[name] !== undefined;
  const bounds = html`min="${RETENTION_BOUNDS[name].min}" max="${maxRetention(name, policy)}"`;
  const standard = policy[name].defaultDays;
  return html`<label for="${name}">${label}</label>
<div><input id="${name}" name="${name}" type="number" ${bounds} value="${values[name] ?? chosen ?? ''}" placeholder="${standard ?? 'no limit'}" aria-describedby="${fault && `${name}-fault `}retention-hint"${fault && html` aria-invalid="true"`}>
${faultOf(name, 'The number', errors)}</div>`;
}
