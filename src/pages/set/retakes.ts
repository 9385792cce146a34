/** Takes pictures again from the pages, and the page with the form for it. */
import type { Request } from 'express';
import { COST } from '../../api/limits/costs.ts';
import { retakeBodies, retakeParser } from '../../contract/retakes.ts';
import { repeatScreenshot, repeatSet } from '../../core/requests/repeatScreenshots.ts';
import { readNoSlotFacts } from '../../core/sets/readScreenshots.ts';
import { DEVICE_NAMES, shortDevice } from '../../domain/devices.ts';
import { conflict } from '../../domain/failure.ts';
import { DEFAULT_LIMITS } from '../../domain/limits.ts';
import { slotOfText } from '../../domain/screenshotOptions.ts';
import { setName } from '../../domain/setNames.ts';
import { counted } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { answerForm, type Choice, checkboxes, EMPTY_FORM, type FormState, radio } from '../parts/formFields.ts';
import { formField, hiddenFields, redirectPath } from '../parts/forms.ts';
import { bodyOf, formTable, renderFields } from '../parts/formTable.ts';
import { SCREENSHOT_LABELS } from '../parts/labels.ts';
import { locationChoices } from '../parts/locationChoice.ts';
import { OPTION_FIELDS, SLOT_CHOICES } from '../parts/optionBoxes.ts';
import type { PagePaths } from '../parts/paths.ts';
import { type PictureView, pickedFields, pickedIds, readSetFacts, type SetFacts } from '../pictures/pictures.ts';
import { idOf, type PageResult, type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';
import { failuresOf, HELPS, isFailure } from './failures.ts';

const NONE_LEFT = 'No such picture is left. Choose others, or open the set to see those that were retaken.';

const WHAT = ['failures', 'all', 'selected'] as const;

/** The changes of a retake. An empty field leaves all as it was. */
const RETAKE = formTable(retakeBodies(DEFAULT_LIMITS).RetakeSet, {
  url: {
    path: 'site.url',
    faultsAt: 'site',
    label: 'Another page',
    placeholder: 'As before',
    more: html` inputmode="url"`,
  },
  device: {
    kind: 'select',
    path: 'device.name',
    faultsAt: 'device',
    label: 'Another device',
    choices: [['', 'As before'], ...DEVICE_NAMES.map((name): Choice => [name, shortDevice(name)])],
  },
  location: { kind: 'select', path: 'options.page.location', label: 'Location' },
  selector: {
    path: 'options.slot',
    label: 'Another slot',
    placeholder: 'As before',
    hint: SLOT_CHOICES.hint,
    more: SLOT_CHOICES.attribute,
    // Only the slots on a picture send the number of one.
    read: (text, typed) => {
      const choice = (typed('slot_index') || text).trim();
      return choice === '' ? undefined : slotOfText(choice);
    },
  },
  options: { kind: 'group', label: 'Options', fields: OPTION_FIELDS },
});

/** Which pictures of a set. '' stands for all. */
export interface RetakeChoice {
  readonly what: (typeof WHAT)[number];
  /** Only failures of this kind. */
  readonly status: string;
  /** Only those that found no slot, and that this can help. */
  readonly helps?: (typeof HELPS)[number] | undefined;
  /** The ids for `selected`. */
  readonly picked: readonly string[];
}

function chosenPictures(views: readonly PictureView[], { what, status, picked }: RetakeChoice): readonly PictureView[] {
  if (what === 'all') return views;
  if (what === 'selected') return views.filter(({ id }) => picked.includes(id));
  return failuresOf(views).filter((view) => status === '' || view.status === status);
}

interface SetRetake extends Pick<ViewerRequest, 'request' | 'actor'> {
  readonly choice: RetakeChoice;
}

/** @returns the id of the new set. @throws Failure: 404, 409 or 422 with the faults by the paths of the API. */
async function retakeSet(
  options: PagesOptions,
  { set, views }: SetFacts,
  { choice, request, actor }: SetRetake,
): Promise<string> {
  const isWhole = choice.what === 'all';
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
  const body = { ...bodyOf(RETAKE, request), ...(!isWhole && { screenshot_ids: ids }) };
  const wish = retakeParser(options.limits)(body);
  const onlyOpenFailures = choice.what === 'failures';
  const wanted = { organizationId: set.organization_id, setId: set.id, wish, actor, onlyOpenFailures };
  return options.store.db.transaction().execute((tx) => repeatSet(tx, { ...wanted, kind: 'retake' }, options));
}

/** @returns the id of the new set. @throws Failure as retakeSet. */
async function retakeScreenshot(
  options: PagesOptions,
  { request, viewer: { organizationId }, actor }: ViewerRequest,
): Promise<string> {
  const wish = retakeParser(options.limits)(bodyOf(RETAKE, request));
  const wanted = { organizationId, screenshotId: idOf(request), wish, actor };
  return options.store.db.transaction().execute((tx) => repeatScreenshot(tx, wanted, options));
}

interface RetakePageOptions extends Pick<PagesOptions, 'locations'> {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly form?: FormState;
}

export function setRetakePage(
  { set, views }: SetFacts,
  { what, status, picked }: RetakeChoice,
  given: RetakePageOptions,
): ResultsPage {
  const { viewer, paths } = given;
  const path = paths.set(set.id);
  const kind = isFailure(status) ? status : undefined;
  const failed = failuresOf(views).filter((view) => kind === undefined || view.status === kind).length;
  const which = (value: RetakeChoice['what'], label: string, isDisabled = false) =>
    radio({ name: 'which', value, label, isChecked: value === what, isDisabled });
  const ofFailures = kind === undefined ? `The ${failed} failed ones` : `Those that failed: ${SCREENSHOT_LABELS[kind]}`;
  const whats = [which('failures', ofFailures, failed === 0), which('all', `All ${views.length}`)];
  const isSelection = picked.length > 0;
  const fields = { which: isSelection ? 'selected' : undefined, status: kind };
  const hidden = html`${hiddenFields(viewer, path, fields)}${pickedFields(picked)}`;
  const head = {
    up: { href: path, label: html`<bdi>${setName(set)}</bdi>` },
    title: isSelection ? `Retake ${counted(picked.length, 'picture')}` : 'Retake pictures',
    meta: 'The current pictures are kept. The set shows the newest version of each, with earlier ones in its history.',
  };
  const choice = !isSelection && checkboxes({ name: 'which', label: 'What' }, whats, {});
  return retakePage(head, { action: `${path}/retake`, hidden, choice }, given);
}

/** The form again, with what was typed and the faults. */
function screenshotRetakePage(id: string, next: string, given: RetakePageOptions): ResultsPage {
  const head = { up: { href: next, label: 'Back to the picture' }, title: 'Retake this picture' };
  const hidden = hiddenFields(given.viewer, next);
  return retakePage(head, { action: `${given.paths.screenshot(id)}/retake`, hidden }, given);
}

function retakePage(
  head: { readonly title: string; readonly up: { readonly href: string; readonly label: Html | string } },
  { action, hidden, choice }: { readonly action: string; readonly hidden: Html; readonly choice?: HtmlContent },
  { locations, form = EMPTY_FORM }: RetakePageOptions,
): ResultsPage {
  const body = html`${pageHead(head)}
<form class="panel" method="post" action="${action}">${hidden}
<div class="fields">${choice}
${retakeFields({ locations }, form)}
${button({ label: 'Retake', icon: 'rotate-ccw', kind: 'primary' })}</div></form>`;
  return { title: head.title, body, status: form.status, section: 'campaigns', assets: ['set.css'] };
}

export function retakeFields(options: Pick<PagesOptions, 'locations'>, { errors, ...form } = EMPTY_FORM): Html {
  const { which, ...others } = errors;
  const choices = locationChoices(options, 'As before');
  const fields = renderFields(RETAKE, {
    form: { ...form, errors: which === undefined ? others : { ...others, which: [NONE_LEFT] } },
    known: { location: choices === undefined ? null : { choices } },
  });
  return html`${fields}${SLOT_CHOICES.list}`;
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
      return facts && setRetakePage(facts, choice, { ...given, locations });
    },
    heavy,
  );
  pages.post(
    setPath,
    async (given) => {
      const facts = await factsOf(given);
      if (facts === undefined) return undefined;
      const choice = choiceOf(given.request);
      const run = async (): Promise<PageResult> => {
        await retakeSet(options, facts, { ...given, choice });
        return redirectTo(given, given.paths.set(facts.set.id));
      };
      const again = async (form: FormState) => setRetakePage(facts, choice, { ...given, locations, form });
      return answerForm(given, { run, again });
    },
    heavy,
  );
  pages.post('/o/:slug/screenshots/:id/retake', (given) => {
    const { request, paths } = given;
    const next = redirectPath(paths, formField(request, 'next'));
    const run = async (): Promise<PageResult> => {
      await retakeScreenshot(options, given);
      return redirectTo(given, next);
    };
    const again = async (form: FormState) => screenshotRetakePage(idOf(request), next, { ...given, locations, form });
    return answerForm(given, { run, again });
  });
}

function choiceOf(request: Pick<Request, 'body'>): RetakeChoice {
  const field = (name: string) => formField(request, name);
  return {
    what: WHAT.find((what) => what === field('which')) ?? 'failures',
    status: field('status'),
    helps: HELPS.find((help) => help === field('helps')),
    picked: pickedIds(request) ?? [],
  };
}
