/** The form with which an organization chooses how long its sets are kept. */
import { ANSWER_DAYS, EVENT_DAYS, EXPORT_DAYS, SET_DAYS, UPLOAD_DAYS } from '../../domain/retention.ts';
import { type Html, html } from '../html.ts';
import { EMPTY_FORM, type FormState } from './adminHandlers.ts';
import { faultOf } from './fields.ts';

interface RetentionChoice {
  readonly path: string;
  /** The hidden fields of the form. */
  readonly hidden: Html;
  readonly chosen: number | null;
  /** The days that the operator chose for organizations that chose nothing. */
  readonly defaultDays?: number | undefined;
  /** The values that a person typed, if they have faults. */
  readonly form?: FormState | undefined;
}

const NAME = 'set_retention_days';

export function retentionPanel(given: RetentionChoice): Html {
  const { path, hidden, chosen, defaultDays, form = EMPTY_FORM } = given;
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
