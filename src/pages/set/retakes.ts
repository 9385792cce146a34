/** Takes pictures again from the pages, and the page with the form for it. */
import { retakeParser } from '../../contract/retakes.ts';
import { type RepeatKind, repeatScreenshot, repeatSet } from '../../core/requests/repeatScreenshots.ts';
import type { FieldErrors } from '../../domain/failure.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, html } from '../html.ts';
import type { PagePaths } from '../paths.ts';
import { failuresOf } from './failures.ts';
import type { PictureView } from './pictures.ts';
import { type RetakeFields, retakeBody, retakeFields } from './retakeForm.ts';
import type { SetFacts } from './setFacts.ts';

/** Which pictures of a set. '' stands for all. */
export interface RetakeChoice {
  readonly what: 'failures' | 'all' | 'duplicate';
  /** Only failures of this kind. */
  readonly status: string;
  readonly site: string;
  readonly device: string;
}

/** More sites would make the list useless. */
const MOST_SITES = 500;

function chosenPictures(views: readonly PictureView[], { what, status, site, device }: RetakeChoice) {
  const candidates = what === 'failures' ? failuresOf(views) : views;
  return candidates.filter(
    (view) =>
      (status === '' || view.status === status) &&
      (site === '' || view.site_url === site) &&
      (device === '' || view.device === device),
  );
}

interface SetRetake {
  readonly choice: RetakeChoice;
  readonly fields: RetakeFields;
}

/** @returns the id of the new set. @throws Failure: 404, 409 or 422 with the faults by the paths of the API. */
export async function retakeSet(
  options: PagesOptions,
  { set, views }: SetFacts,
  { choice, fields }: SetRetake,
): Promise<string> {
  const isWhole = choice.what !== 'failures' && choice.site === '' && choice.device === '';
  const ids = chosenPictures(views, choice).map(({ id }) => id);
  const which = ids.length === 0 ? { which: 'failures' } : { screenshot_ids: ids };
  const wish = retakeParser(options.limits)({ ...retakeBody(fields), ...(!isWhole && which) });
  const kind: RepeatKind = choice.what === 'duplicate' ? 'duplicate' : 'retake';
  const wanted = { organizationId: set.organization_id, setId: set.id, kind, wish };
  return options.store.db.transaction().execute((tx) => repeatSet(tx, wanted, options));
}

/** @returns the id of the new set. @throws Failure as retakeSet. */
export async function retakeScreenshot(
  options: PagesOptions,
  { organizationId }: Viewer,
  { screenshotId, fields }: { screenshotId: string; fields: RetakeFields },
): Promise<string> {
  const wish = retakeParser(options.limits)(retakeBody(fields));
  const wanted = { organizationId, screenshotId, wish };
  return options.store.db.transaction().execute((tx) => repeatScreenshot(tx, wanted, options));
}

interface RetakePageOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly fields: RetakeFields;
  readonly errors?: FieldErrors;
  /** HTTP status. */
  readonly status?: number;
}

export function setRetakePage(
  { set, views }: SetFacts,
  choice: RetakeChoice,
  { viewer, paths, fields, errors, status = 200 }: RetakePageOptions,
): ResultsPage {
  const path = paths.set(set.id);
  const failed = failuresOf(views).length;
  const body = html`<section class="head"><p class="crumb"><a href="${path}"><bdi>${set.campaign}</bdi></a></p><h1>Take pictures again</h1>
<p class="hint">The present pictures stay. The page of the set shows the newest picture of each, with the earlier ones in its history.</p></section>
<form class="panel" method="post" action="${path}/retake">${hiddenFields(viewer, path)}
<fieldset class="radios"><legend>What</legend>
${radio('failures', `The ${failed} that failed`, { checked: choice.what, disabled: failed === 0 })}
${radio('all', `All ${views.length}`, { checked: choice.what })}
${radio('duplicate', `All ${views.length}, as a new set of its own: this set stays as it is`, { checked: choice.what })}</fieldset>
<div class="fields">${narrowing(views, choice)}${retakeFields(fields, errors)}<button class="primary">Take again</button></div>
</form>`;
  return { title: 'Take pictures again', body, status, section: 'sets', assets: ['set.css'] };
}

function radio(
  value: string,
  text: string,
  { checked, disabled = false }: { checked: string; disabled?: boolean },
): Html {
  return html`<label><input type="radio" name="which" value="${value}"${value === checked && html` checked`}${disabled && html` disabled`}> ${text}</label>`;
}

function narrowing(views: readonly PictureView[], { site, device }: RetakeChoice): Html {
  const sites = [...new Set(views.map(({ site_url }) => site_url))].slice(0, MOST_SITES);
  const devices = [...new Set(views.map((view) => view.device))];
  const option = (value: string, chosen: string) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${value}</option>`;
  return html`<label for="only-site">Only of the page</label><select id="only-site" name="only_site"><option value="">All pages</option>${sites.map((each) => option(each, site))}</select>
<label for="only-device">Only on the device</label><select id="only-device" name="only_device"><option value="">All devices</option>${devices.map((each) => option(each, device))}</select>`;
}

/** The form again, with what was typed and the faults. */
export function screenshotRetakePage(
  screenshotId: string,
  next: string,
  { viewer, paths, fields, errors, status = 200 }: RetakePageOptions,
): ResultsPage {
  const body = html`<section class="head"><p class="crumb"><a href="${next}">Back to the picture</a></p><h1>Take this picture again</h1></section>
<form class="panel" method="post" action="${paths.screenshot(screenshotId)}/retake">${hiddenFields(viewer, next)}<div class="fields">${retakeFields(fields, errors)}<button class="primary">Take again</button></div></form>`;
  return { title: 'Take this picture again', body, status, section: 'sets', assets: ['set.css'] };
}
