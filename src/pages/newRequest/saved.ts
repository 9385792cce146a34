/** Templates and site lists on the page of a new request: fill the form from one, save the form as one, remove one. */
import { readOrFail } from '../../api/public/endpoint.ts';
import { slotChoiceOf } from '../../contract/readRequest.ts';
import { deviceRecord } from '../../contract/records.ts';
import { NewSiteList, newTemplate, siteListBody, templateBody } from '../../contract/savedObjects.ts';
import { readDraftAds } from '../../core/ads/readAd.ts';
import { findNamed, removeNamed, type SavedRow, saveNamed, saveTemplate } from '../../core/requests/savedObjects.ts';
import { invalid } from '../../domain/failure.ts';
import { textOfSlot } from '../../domain/screenshotOptions.ts';
import { isUuid } from '../../domain/slugs.ts';
import { counted, isBlank } from '../../domain/text.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { tryForm } from '../parts/formFields.ts';
import { checkedBoxes } from '../parts/optionBoxes.ts';
import { type Draft, type FieldFaults, sentenceOf } from './draft.ts';
import { withSites } from './receiveForm.ts';
import { ALL_ADS, readTargets } from './requestBody.ts';

interface Form {
  readonly draft: Draft;
  readonly faults: FieldFaults;
}

interface Outcome {
  readonly draft: Draft;
  /** Describes what was done. */
  readonly notice?: string;
}

/** @throws Failure (409, 422) */
type Act = (options: PagesOptions, viewer: Viewer, form: Form) => Promise<Outcome>;

/** Replaces what the template has in the form. The faults name what was deleted since. */
const useTemplate: Act = async (options, { organizationId }, { draft, faults }) => {
  const row = await chosen(options, organizationId, 'request_templates', draft.template);
  if (row === undefined) throw invalid({ '': ['Choose a template.'] });
  const { ads, site_list: listed } = row.body;
  const list = await chosen(options, organizationId, 'site_lists', listed?.id ?? '');
  const ids = (ads ?? []).map(({ id }) => id);
  const found = await readDraftAds(options.store.db, { organizationId, ids });
  const gone = ids.length - found.length;
  if (gone > 0)
    faults.add('ads', `${counted(gone, 'ad')} of the template “${row.name}” ${gone === 1 ? 'was' : 'were'} deleted.`);
  if (listed !== undefined && list === undefined) faults.add('sites', 'The site list of the template was deleted.');
  const filled = fill(draft, row);
  return {
    draft: {
      ...filled,
      ...(ids.length > 0 && { adIds: found.map(({ id }) => id) }),
      ...(list && { siteList: list.id, sites: withSites(row.body.sites.length > 0 ? filled.sites : '', urlsOf(list)) }),
    },
    notice: `The form was filled in from the template “${row.name}”.`,
  };
};

const urlsOf = ({ body }: SavedRow<'site_lists'>) => body.sites.map(({ url }) => url);

const saveAsTemplate: Act = async (options, viewer, { draft, faults }) => {
  const { sites, devices, options: given } = readTargets(draft, faults);
  if (faults.any) return { draft };
  const { organizationId, keyId } = viewer;
  const { campaign, instructions, adIds, together } = draft;
  // A request with all sites of a list follows the list.
  const list = await chosen(options, organizationId, 'site_lists', draft.siteList);
  const listed = list === undefined ? [] : urlsOf(list);
  const usesList = list !== undefined && listed.every((url) => sites.includes(url));
  const template = readOrFail(newTemplate(options.limits), {
    name: draft.templateName,
    sites: sites.filter((url) => !(usesList && listed.includes(url))).map((url) => ({ url })),
    ...(usesList && { site_list: { id: list.id } }),
    devices: devices.map(deviceRecord),
    options: given,
    ...(adIds.length > 0 && { ads: adIds.map((id) => ({ id })) }),
    ...(together && { group: ALL_ADS }),
    ...(!isBlank(campaign) && { campaign: { name: campaign } }),
    ...(!isBlank(instructions) && { instructions }),
  });
  const name = template.name.trim();
  const toSave = { organizationId, keyId, name, body: templateBody(template) };
  const { row, created } = await options.store.db.transaction().execute((tx) => saveTemplate(tx, toSave));
  const files = Object.keys(draft.files).length > 0 ? ', without the files of pages' : '';
  return {
    draft: { ...draft, template: row.id, templateName: '' },
    notice: `The template “${name}” was ${created ? 'saved' : 'replaced'}${files}.`,
  };
};

/** Adds the sites of the list to the form. */
const addSiteList: Act = async (options, { organizationId }, { draft }) => {
  const row = await chosen(options, organizationId, 'site_lists', draft.siteList);
  if (row === undefined) throw invalid({ '': ['Choose a site list.'] });
  const sites = withSites(draft.sites, urlsOf(row));
  return { draft: { ...draft, sites }, notice: `The sites of “${row.name}” were added.` };
};

const saveSiteList: Act = async (options, { organizationId, keyId }, { draft, faults }) => {
  const { sites } = readTargets({ ...draft, markers: '' }, faults);
  if (faults.any) return { draft };
  const list = readOrFail(NewSiteList, { name: draft.siteListName, sites: sites.map((url) => ({ url })) });
  const name = list.name.trim();
  const toSave = { organizationId, keyId, name, body: siteListBody(list) };
  const { row, created } = await options.store.db.transaction().execute((tx) => saveNamed(tx, 'site_lists', toSave));
  return {
    draft: { ...draft, siteList: row.id, siteListName: '' },
    notice: `The site list “${name}” was ${created ? 'saved' : 'replaced'}.`,
  };
};

const removing =
  (table: 'request_templates' | 'site_lists', field: 'template' | 'siteList'): Act =>
  async (options, { organizationId }, { draft }) => {
    const row = await chosen(options, organizationId, table, draft[field]);
    if (row === undefined) throw invalid({ '': ['Choose one to remove.'] });
    await options.store.db.transaction().execute((tx) => removeNamed(tx, table, { organizationId, id: row.id }));
    return { draft: { ...draft, [field]: '' }, notice: `“${row.name}” was removed.` };
  };

/** By the values of the buttons. */
const ACTS = {
  'template-use': useTemplate,
  'template-save': saveAsTemplate,
  'template-remove': removing('request_templates', 'template'),
  'list-add': addSiteList,
  'list-save': saveSiteList,
  'list-remove': removing('site_lists', 'siteList'),
} as const satisfies Readonly<Record<string, Act>>;
type SavedAction = keyof typeof ACTS;

export const isSavedAction = (action: string): action is SavedAction => Object.hasOwn(ACTS, action);

/** Adds faults to those of the form. */
export function actOnSaved(
  options: PagesOptions,
  viewer: Viewer,
  { action, draft, faults }: Form & { readonly action: SavedAction },
): Promise<Outcome & Form> {
  const field = action.startsWith('template') ? 'template' : 'sites';
  const run = async () => ({ faults, ...(await ACTS[action](options, viewer, { draft, faults })) });
  return tryForm<Outcome & Form>(run, ({ '': own = [], name = [], sites = [], ...others }) => {
    faults.addErrors(Object.fromEntries(Object.entries(others).map(([path, texts]) => [`.${path}`, texts])));
    for (const text of own) faults.add(field, text);
    for (const text of name) faults.add(field, sentenceOf('The name', text));
    for (const text of sites) faults.add(field, sentenceOf('The list of sites', text));
    return { draft, faults };
  });
}

async function chosen<T extends 'request_templates' | 'site_lists'>(
  { store }: PagesOptions,
  organizationId: string,
  table: T,
  id: string,
): Promise<SavedRow<T> | undefined> {
  return isUuid(id) ? findNamed(store.db, table, { organizationId, id }) : undefined;
}

function fill(draft: Draft, { id, body }: SavedRow<'request_templates'>): Draft {
  const { sites, devices, options, group, campaign, instructions } = body;
  const { ad, slot, page } = options;
  return {
    ...draft,
    template: id,
    ...(sites.length > 0 && { sites: `${sites.map(({ url }) => url).join('\n')}\n` }),
    ...(devices.length > 0 && { devices: devices.map(({ name }) => name) }),
    together: group !== undefined,
    ...(campaign && { campaign: campaign.name }),
    ...(instructions !== undefined && { instructions }),
    markers: (ad?.frames ?? []).map(({ marker }) => marker).join(', '),
    options: checkedBoxes(options),
    slot: textOfSlot(slotChoiceOf(slot)),
    location: page?.location ?? '',
  };
}
