/** Bodies and records of request templates. */
import { z } from 'zod';
import { DEVICE_NAMES } from '../domain/devices.ts';
import type { Limits } from '../domain/limits.ts';
import { TEMPLATE_NAME_MAX, TEMPLATE_SITES_MAX } from '../domain/templates.ts';
import { isBlank } from '../domain/text.ts';
import { time } from './records.ts';
import { lengthFault, screenshotObject, text } from './requests.ts';
import { anyOf, NOT_BLANK, OURS } from './schemaParts.ts';

const name = text((value) =>
  isBlank(value) ? 'must not be blank: give the name of the template.' : lengthFault(value.trim(), TEMPLATE_NAME_MAX),
).meta({ ...NOT_BLANK, maxLength: TEMPLATE_NAME_MAX });

/** A template to save: parts of a screenshot object, for all its sites and devices. */
export function newTemplate(limits: Limits) {
  const { site, device, options } = screenshotObject(limits).shape;
  return z
    .object({
      name: name.describe('Unique within the organization. A template of the same name is replaced.'),
      sites: z
        .array(site)
        .max(TEMPLATE_SITES_MAX, `must have at most ${TEMPLATE_SITES_MAX.toLocaleString('en')} sites.`)
        .nullish(),
      devices: z.array(device).max(DEVICE_NAMES.length, `must have at most ${DEVICE_NAMES.length} devices.`).nullish(),
      options: options.describe('As `options` of a screenshot object.'),
    })
    .superRefine(({ sites, devices }, context) => {
      if ((sites ?? []).length === 0 && (devices ?? []).length === 0)
        context.addIssue({ code: 'custom', path: ['sites'], message: 'is required, unless there are devices.' });
    })
    .meta({
      id: 'NewTemplate',
      description: `A request template to save. ${OURS}`,
      override: anyOf({
        sites: { type: 'array', minItems: 1, items: {} },
        devices: { type: 'array', minItems: 1, items: {} },
      }),
    });
}

export type NewTemplate = z.output<ReturnType<typeof newTemplate>>;

/** The content of a template, in the database and in its record. */
export interface TemplateBody {
  readonly sites: readonly { readonly url: string }[];
  readonly devices: readonly { readonly name: string }[];
  readonly options: NonNullable<NewTemplate['options']>;
}

export function templateBody({ sites, devices, options }: NewTemplate): TemplateBody {
  return {
    sites: (sites ?? []).map(({ url }) => ({ url: url.trim() })),
    devices: devices ?? [],
    options: options ?? {},
  };
}

export const TemplateRecord = z
  .object({
    type: z.literal('template'),
    id: z.uuid(),
    name: z.string(),
    sites: z.array(z.object({ url: z.string() })),
    devices: z.array(z.object({ name: z.string() })),
    options: z.looseObject({}).describe('As `options` of a screenshot object, as far as given.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Template', description: `Sites, devices and options of requests, saved under a name. ${OURS}` });

export type TemplateRecord = z.infer<typeof TemplateRecord>;
