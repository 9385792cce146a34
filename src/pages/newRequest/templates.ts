/** Templates on the page of a new request: fill the form from one, save the form as one, remove one. */
import { Faults } from '../../contract/faults.ts';
import { newTemplate, templateBody } from '../../contract/templates.ts';
import {
  findTemplate,
  listTemplates,
  removeTemplate,
  saveTemplate,
  type TemplateRow,
} from '../../core/requests/templates.ts';
import { Failure, failureMessage } from '../../domain/failure.ts';
import { isUuid } from '../../domain/slugs.ts';
import { TEMPLATES_MAX } from '../../domain/templates.ts';
import type { PagesOptions, Viewer } from '../context.ts';
import { type Draft, FieldFaults, sentenceOf } from './draft.ts';
import { readTargets } from './requestBody.ts';

export interface TemplateOutcome {
  readonly draft: Draft;
  readonly faults: FieldFaults;
  /** Tells what was done. */
  readonly notice?: string;
}

type Act = (options: PagesOptions, viewer: Viewer, draft: Draft) => Promise<TemplateOutcome>;

export async function readTemplates(
  { store }: PagesOptions,
  { organizationId }: Viewer,
): Promise<readonly TemplateRow[]> {
  const { rows } = await listTemplates(store.db, { organizationId }, { page: 1, perPage: TEMPLATES_MAX });
  return rows;
}

/** Replaces sites, devices and options of the form. The template changes nothing that it lacks. */
export const useTemplate: Act = async (options, viewer, draft) => {
  const row = await chosen(options, viewer, draft);
  if (row === undefined) return withFault(draft, 'Choose a template.');
  return { draft: fill(draft, row), faults: new FieldFaults(), notice: `The template “${row.name}” was filled in.` };
};

export const saveAsTemplate: Act = async (options, viewer, draft) => {
  const faults = new FieldFaults();
  const { sites, devices, options: given } = readTargets(draft, faults);
  if (faults.any) return { draft, faults };
  const found = new Faults();
  const body = {
    name: draft.templateName,
    sites: sites.map((url) => ({ url })),
    devices: devices.map((name) => ({ name })),
    options: given,
  };
  const template = found.read(newTemplate(options.limits), body, '');
  if (template === undefined) return { draft, faults: templateFaults(found) };
  const { organizationId, keyId } = viewer;
  const name = template.name.trim();
  const toSave = { organizationId, keyId, name, body: templateBody(template) };
  try {
    const { row } = await options.store.db.transaction().execute((tx) => saveTemplate(tx, toSave));
    const saved = { ...draft, template: row.id, templateName: '' };
    return { draft: saved, faults, notice: `The template “${name}” was saved.` };
  } catch (error) {
    if (error instanceof Failure && error.status === 409) return withFault(draft, failureMessage(error));
    throw error;
  }
};

export const removeChosenTemplate: Act = async (options, viewer, draft) => {
  const row = await chosen(options, viewer, draft);
  if (row === undefined) return withFault(draft, 'Choose a template.');
  const one = { organizationId: viewer.organizationId, id: row.id };
  await options.store.db.transaction().execute((tx) => removeTemplate(tx, one));
  const faults = new FieldFaults();
  return { draft: { ...draft, template: '' }, faults, notice: `The template “${row.name}” was removed.` };
};

async function chosen({ store }: PagesOptions, viewer: Viewer, draft: Draft): Promise<TemplateRow | undefined> {
  if (!isUuid(draft.template)) return undefined;
  return findTemplate(store.db, { organizationId: viewer.organizationId, id: draft.template });
}

function fill(draft: Draft, { id, body: { sites, devices, options } }: TemplateRow): Draft {
  const { ad, slot, page } = options;
  return {
    ...draft,
    template: id,
    ...(sites.length > 0 && { sites: `${sites.map(({ url }) => url).join('\n')}\n` }),
    ...(devices.length > 0 && { devices: devices.map(({ name }) => name) }),
    markers: (ad?.frames ?? []).map(({ marker }) => marker).join(', '),
    allowScaling: ad?.allow_scaling ?? false,
    slot: String(slot?.selector ?? slot?.index ?? ''),
    keepOtherAds: page?.other_ads === 'keep',
    fullPage: page?.full_page ?? false,
  };
}

function templateFaults(found: Faults): FieldFaults {
  const { name = [], sites = [], ...others } = found.errors;
  const faults = new FieldFaults();
  faults.addErrors(Object.fromEntries(Object.entries(others).map(([path, texts]) => [`.${path}`, texts])));
  for (const text of name) faults.add('template', sentenceOf('The name', text));
  for (const text of sites) faults.add('template', sentenceOf('The list of sites', text));
  return faults;
}

function withFault(draft: Draft, sentence: string): TemplateOutcome {
  const faults = new FieldFaults();
  faults.add('template', sentence);
  return { draft, faults };
}
