/** Takes pictures again from the pages, and the page with the form for it. */
import type { Request } from 'express';
import { COST } from '../../api/limits/costs.ts';
import type { JsonObject } from '../../contract/faults.ts';
import { retakeParser } from '../../contract/retakes.ts';
import { type RepeatKind, repeatScreenshot, repeatSet } from '../../core/requests/repeatScreenshots.ts';
import { readNoSlotFacts } from '../../core/sets/readScreenshots.ts';
import { DEVICE_NAMES, shortDevice } from '../../domain/devices.ts';
import { conflict, type FieldErrors } from '../../domain/failure.ts';
import { SELECTOR_MAX } from '../../domain/screenshotOptions.ts';
import { setName } from '../../domain/setNames.ts';
import { URL_MAX } from '../../domain/webAddresses.ts';
import { type Html, html } from '../../lib/html.ts';
import { button, pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { type Choice, checkboxes, otherFaults, radio, selectField, textField, tryForm } from '../parts/formFields.ts';
import { formField, hiddenFields, redirectPath } from '../parts/forms.ts';
import { SCREENSHOT_LABELS } from '../parts/labels.ts';
import { locationChoice } from '../parts/locationChoice.ts';
import { ANIMATION, type OptionBoxes, optionBoxes } from '../parts/optionBoxes.ts';
import type { PagePaths } from '../parts/paths.ts';
import { type PictureView, readSetFacts, type SetFacts } from '../pictures/pictures.ts';
import { idOf, type PageResult, type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';
import { failuresOf, HELPS, isFailure } from './failures.ts';

const NONE_LEFT = 'No such picture is left. Choose others, or open the set to see those that were retaken.';

const WHAT = ['failures', 'all', 'duplicate'] as const;

/** The fields as a person typed them. '' leaves a field as it was. */
export interface RetakeFields extends OptionBoxes {
  /** Id of a location. */
  readonly location: string;
  readonly url: string;
  readonly device: string;
  readonly selector: string;
  /** The number of a recorded slot. */
  readonly slotIndex: string;
}

export const NO_CHANGES = fieldsOf({ body: {} });

/** Which pictures of a set. '' stands for all. */
export interface RetakeChoice {
  readonly what: 'failures' | 'all' | 'duplicate';
  /** Only failures of this kind. */
  readonly status: string;
  /** Only those that found no slot, and that this can help. */
  readonly helps?: (typeof HELPS)[number] | undefined;
  readonly site: string;
  readonly device: string;
}

/** More sites would make the list useless. */
const MOST_SITES = 500;

function chosenPictures(views: readonly PictureView[], { what, status, site, device }: RetakeChoice) {
  const candidates = what === 'failures' ? failuresOf(views) : views;
  return candidates.filter(
    (view) =>
      (what !== 'failures' || status === '' || view.status === status) &&
      (site === '' || view.site_url === site) &&
      (device === '' || view.device === device),
  );
}

interface SetRetake extends Pick<ViewerRequest, 'actor'> {
  readonly choice: RetakeChoice;
  readonly fields: RetakeFields;
}

/** @returns the id of the new set. @throws Failure: 404, 409 or 422 with the faults by the paths of the API. */
async function retakeSet(
  options: PagesOptions,
  { set, views }: SetFacts,
  { choice, fields, actor }: SetRetake,
): Promise<string> {
  const isWhole = choice.what !== 'failures' && choice.site === '' && choice.device === '';
  const chosen = chosenPictures(views, choice);
  const found =
    choice.helps &&
    (await readNoSlotFacts(
      options.store.db,
      chosen.map(({ shownId }) => shownId),
    ));
  const ids = chosen
    .filter(({ shownId }) => choice.helps === undefined || found?.get(shownId)?.[choice.helps])
    .map(({ id }) => id);
  if (!isWhole && ids.length === 0) throw conflict('which', 'finds no such screenshot that was not taken again since.');
  const wish = retakeParser(options.limits)({ ...retakeBody(fields), ...(!isWhole && { screenshot_ids: ids }) });
  const kind: RepeatKind = choice.what === 'duplicate' ? 'duplicate' : 'retake';
  const onlyOpenFailures = choice.what === 'failures';
  const wanted = { organizationId: set.organization_id, setId: set.id, kind, wish, actor, onlyOpenFailures };
  return options.store.db.transaction().execute((tx) => repeatSet(tx, wanted, options));
}

/** @returns the id of the new set. @throws Failure as retakeSet. */
async function retakeScreenshot(
  options: PagesOptions,
  { viewer: { organizationId }, actor }: Pick<ViewerRequest, 'viewer' | 'actor'>,
  { screenshotId, fields }: { screenshotId: string; fields: RetakeFields },
): Promise<string> {
  const wish = retakeParser(options.limits)(retakeBody(fields));
  const wanted = { organizationId, screenshotId, wish, actor };
  return options.store.db.transaction().execute((tx) => repeatScreenshot(tx, wanted, options));
}

interface RetakePageOptions extends Pick<PagesOptions, 'locations'> {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly fields: RetakeFields;
  readonly errors?: FieldErrors;
  /** HTTP status. */
  readonly status?: number;
}

function setRetakePage(
  { set, views }: SetFacts,
  choice: RetakeChoice,
  { viewer, paths, locations, fields, errors, status = 200 }: RetakePageOptions,
): ResultsPage {
  const path = paths.set(set.id);
  const failed = failuresOf(views).filter((view) => !isFailure(choice.status) || view.status === choice.status).length;
  const { status: kind } = choice;
  const which = (value: RetakeChoice['what'], text: string, disabled = false) =>
    radio({ name: 'which', value, label: text, isChecked: value === choice.what, isDisabled: disabled });
  const whats = [
    which(
      'failures',
      isFailure(kind) ? `Those that failed: ${SCREENSHOT_LABELS[kind]}` : `The ${failed} failed ones`,
      failed === 0,
    ),
    which('all', `All ${views.length}`),
    which('duplicate', `All ${views.length}, as a new set; this set stays unchanged`),
  ];
  const body = html`${pageHead({
    up: { href: path, label: html`<bdi>${setName(set)}</bdi>` },
    title: 'Retake pictures',
    meta: 'The current pictures are kept. The set shows the newest version of each, with earlier ones in its history.',
  })}
<form class="panel" method="post" action="${path}/retake">${hiddenFields(viewer, path)}
${isFailure(kind) && html`<input type="hidden" name="status" value="${kind}">`}
<div class="fields">${checkboxes({ name: 'which', label: 'What' }, whats, {})}${narrowing(views, choice)}${retakeFields({ locations }, fields, errors)}${button({ label: 'Retake', icon: 'rotate-ccw', kind: 'primary' })}</div>
</form>`;
  return { title: 'Retake pictures', body, status, section: 'campaigns', assets: ['set.css'] };
}

function narrowing(views: readonly PictureView[], { site, device }: RetakeChoice): Html {
  const sites = [...new Set(views.map(({ site_url }) => site_url))].slice(0, MOST_SITES);
  const devices = [...new Set(views.map((view) => view.device))];
  const form = { values: { only_site: site, only_device: device }, errors: {} };
  const pages = [['', 'All pages'] as const, ...sites.map((each) => [each, each] as const)];
  return html`${selectField({ name: 'only_site', label: 'Only this page', choices: pages }, form)}
${selectField({ name: 'only_device', label: 'Only this device', choices: deviceChoices('All devices', devices) }, form)}`;
}

/** The form again, with what was typed and the faults. */
function screenshotRetakePage(
  screenshotId: string,
  next: string,
  { viewer, paths, locations, fields, errors, status = 200 }: RetakePageOptions,
): ResultsPage {
  const body = html`${pageHead({ up: { href: next, label: 'Back to the picture' }, title: 'Retake this picture' })}
<form class="panel" method="post" action="${paths.screenshot(screenshotId)}/retake">${hiddenFields(viewer, next)}<div class="fields">${retakeFields({ locations }, fields, errors)}${button({ label: 'Retake', icon: 'rotate-ccw', kind: 'primary' })}</div></form>`;
  return { title: 'Retake this picture', body, status, section: 'campaigns', assets: ['set.css'] };
}

/** @returns the body of the same request of the API. */
function retakeBody(given: RetakeFields): JsonObject {
  const [url, selector, { device, location, slotIndex }] = [given.url.trim(), given.selector.trim(), given];
  const slot = slotIndex !== '' ? { index: Number(slotIndex) } : selector !== '' && { selector };
  const page = {
    ...(given.keepOtherAds && { other_ads: 'keep' }),
    ...(given.fullPage && { full_page: true }),
    ...(location !== '' && { location }),
  };
  const ad = given.allowScaling && { ad: { allow_scaling: true } };
  const options = { page, ...(slot && { slot }), ...ad, ...(given.animate && { animation: ANIMATION }) };
  return { ...(url !== '' && { site: { url } }), ...(device !== '' && { device: { name: device } }), options };
}

export function retakeFields(
  options: Pick<PagesOptions, 'locations'>,
  given: RetakeFields,
  errors: FieldErrors = {},
): Html {
  const { url, device, selector, location } = given;
  const form = { values: { url, device, selector }, errors: byField(errors) };
  return html`${otherFaults(form.errors, ['url', 'device', 'selector'])}
${textField({ name: 'url', label: 'Another page', max: URL_MAX, placeholder: 'As before', more: html` inputmode="url"` }, form)}
${selectField({ name: 'device', label: 'Another device', choices: deviceChoices('As before', DEVICE_NAMES) }, form)}
${locationChoice(options, { chosen: location, none: 'As before', errors: {} })}
${textField({ name: 'selector', label: 'Another slot', max: SELECTOR_MAX, placeholder: 'As before, or a CSS selector' }, form)}
${checkboxes({ name: 'options', label: 'Options' }, [optionBoxes(given)], {})}`;
}

const deviceChoices = (none: string, devices: readonly string[]): Choice[] => [
  ['', none],
  ...devices.map((name): Choice => [name, shortDevice(name)]),
];

/** The fields of the form have other names than those of the API. */
const FIELD_NAMES = [
  [/^site(\.url)?$/, 'url'],
  [/^options\.slot(\.\w+)?$/, 'selector'],
] as const;

function byField(errors: FieldErrors): FieldErrors {
  const nameOf = (path: string) => FIELD_NAMES.find(([pattern]) => pattern.test(path))?.[1] ?? path;
  const named = Object.entries(errors).map(([path, texts]) => [nameOf(path), path === 'which' ? [NONE_LEFT] : texts]);
  return Object.fromEntries(named);
}

/** Routes that take pictures of a set, or one of them, again. */
export function addRetakeRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const setPath = '/o/:slug/screenshot_sets/:id/retake';
  const factsOf = ({ request, viewer: { organizationId } }: ViewerRequest) =>
    readSetFacts(options, { id: idOf(request), organizationId });
  const heavy = { cost: COST.heavy, readsSet: true };
  const { locations } = options;
  pages.get(
    setPath,
    async (given) => {
      const facts = await factsOf(given);
      const choice = choiceOf({ body: given.request.query });
      return facts && setRetakePage(facts, choice, { ...given, locations, fields: NO_CHANGES });
    },
    heavy,
  );
  pages.post(
    setPath,
    async (given) => {
      const facts = await factsOf(given);
      if (facts === undefined) return undefined;
      const [choice, fields] = [choiceOf(given.request), fieldsOf(given.request)];
      const retake = async () => {
        const newSet = await retakeSet(options, facts, { choice, fields, actor: given.actor });
        return redirectTo(given, given.paths.set(choice.what === 'duplicate' ? newSet : facts.set.id));
      };
      return tryForm<PageResult>(retake, (errors, status) =>
        setRetakePage(facts, choice, { ...given, locations, fields, errors, status }),
      );
    },
    heavy,
  );
  pages.post('/o/:slug/screenshots/:id/retake', (given) => {
    const { request, paths } = given;
    const fields = fieldsOf(request);
    const next = redirectPath(paths, formField(request, 'next'));
    const retake = async () => {
      await retakeScreenshot(options, given, { screenshotId: idOf(request), fields });
      return redirectTo(given, next);
    };
    return tryForm<PageResult>(retake, (errors, status) =>
      screenshotRetakePage(idOf(request), next, { ...given, locations, fields, errors, status }),
    );
  });
}

function choiceOf(request: Pick<Request, 'body'>): RetakeChoice {
  const field = (name: string) => formField(request, name);
  return {
    what: WHAT.find((what) => what === field('which')) ?? 'failures',
    status: field('status'),
    helps: HELPS.find((help) => help === field('helps')),
    site: field('only_site'),
    device: field('only_device'),
  };
}

function fieldsOf(request: Pick<Request, 'body'>): RetakeFields {
  const field = (name: string) => formField(request, name);
  return {
    url: field('url'),
    device: field('device'),
    location: field('location'),
    selector: field('selector'),
    slotIndex: field('slot_index'),
    allowScaling: field('allow_scaling') !== '',
    keepOtherAds: field('keep_other_ads') !== '',
    fullPage: field('full_page') !== '',
    animate: field('animate') !== '',
  };
}
