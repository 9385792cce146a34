/** Bodies and records of request templates and site lists. */
import { z } from 'zod';
import type { Limits } from '../domain/limits.ts';
import { SAVED_NAME_MAX, SAVED_SITES_MAX, TEMPLATE_ADS_MAX, TEMPLATE_DEVICES_MAX } from '../domain/savedObjects.ts';
import { DeviceRecord, deviceRecord, time, uuid } from './records.ts';
import { CampaignName, GroupName, Instructions, screenshotObject, site } from './requests.ts';
import { OURS } from './schemaParts.ts';
import { nameUpTo } from './textFields.ts';

const nameOf = (what: string) =>
  nameUpTo(SAVED_NAME_MAX, `must not be blank: give the name of the ${what}.`).describe(
    `Unique within the organization. A ${what} of the same name is replaced.`,
  );

const sites = z.array(site).max(SAVED_SITES_MAX, `must have at most ${SAVED_SITES_MAX.toLocaleString('en')} sites.`);

const most = (count: number, noun: string) => `must have at most ${count} ${noun}.`;

const NOT_SAVED = 'cannot be saved in a template, because templates are shown: give them in each request.';

/** A template to save: parts of a screenshot request. */
export function newTemplate(limits: Limits) {
  const { device, options } = screenshotObject(limits).shape;
  return z
    .object({
      name: nameOf('template'),
      sites: sites.nullish(),
      site_list: z.object({ id: uuid }).nullish().describe('A site list, whose sites are also part of the request.'),
      devices: z.array(device).max(TEMPLATE_DEVICES_MAX, most(TEMPLATE_DEVICES_MAX, 'devices')).nullish(),
      options: options.describe('As `options` of a screenshot object, with the markers as `ad.frames`.'),
      ads: z
        .array(z.object({ id: uuid }))
        .max(TEMPLATE_ADS_MAX, most(TEMPLATE_ADS_MAX, 'ads'))
        .nullish()
        .describe('Ads of the organization.'),
      group: GroupName.nullish().describe('The group of all ads: each page and device has one picture of all of them.'),
      campaign: z.object({ name: CampaignName }).nullish(),
      instructions: Instructions.nullish(),
    })
    .superRefine((given, context) => {
      const { sites, site_list, devices, options, ads, campaign, instructions } = given;
      for (const secret of ['cookies', 'headers'] as const)
        if ((options?.page?.[secret] ?? []).length > 0)
          context.addIssue({ code: 'custom', path: ['options', 'page', secret], message: NOT_SAVED });
      const isEmpty = [sites, devices, ads].every((list) => (list ?? []).length === 0);
      if (isEmpty && !site_list && !campaign && (instructions ?? null) === null)
        context.addIssue({
          code: 'custom',
          path: ['sites'],
          message: 'is required, unless there is something else, such as devices.',
        });
    })
    .meta({
      id: 'NewTemplate',
      description: `A request template to save, with something beside its name and options. ${OURS}`,
    });
}

export type NewTemplate = z.output<ReturnType<typeof newTemplate>>;

/** The content of a template in the database. Templates of earlier releases have only the first three. */
export interface TemplateBody {
  readonly sites: readonly { readonly url: string }[];
  /** By names as the database stores them. */
  readonly devices: readonly { readonly name: string }[];
  readonly options: NonNullable<NewTemplate['options']>;
  readonly ads?: readonly { readonly id: string }[];
  readonly group?: string;
  readonly campaign?: { readonly name: string };
  readonly instructions?: string;
  readonly site_list?: { readonly id: string };
}

export function templateBody(given: NewTemplate): TemplateBody {
  const { sites, devices, options, ads, group, campaign, instructions, site_list } = given;
  return {
    sites: trimmed(sites ?? []),
    devices: devices ?? [],
    options: options ?? {},
    ...(ads && { ads: ads.map(({ id }) => ({ id: id.toLowerCase() })) }),
    ...((group ?? null) !== null && { group: group?.trim() ?? '' }),
    ...(campaign && { campaign: { name: campaign.name.trim() } }),
    ...((instructions ?? null) !== null && { instructions: instructions ?? '' }),
    ...(site_list && { site_list: { id: site_list.id.toLowerCase() } }),
  };
}

const trimmed = (sites: readonly { url: string }[]) => sites.map(({ url }) => ({ url: url.trim() }));

const SitesRecord = z.array(z.object({ url: z.string() }));

export const TemplateRecord = z
  .object({
    type: z.literal('template'),
    id: z.uuid(),
    name: z.string(),
    sites: SitesRecord,
    devices: z.array(DeviceRecord),
    options: z.looseObject({}).describe('As `options` of a screenshot object, as far as given.'),
    ads: z
      .array(z.object({ id: uuid }))
      .optional()
      .describe('As given. Some may have been deleted since.'),
    group: z.string().optional().describe('The group of all ads.'),
    campaign: z.object({ name: z.string() }).optional(),
    instructions: z.string().optional(),
    site_list: z.object({ id: uuid }).optional().describe('As given. It may have been deleted since.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Template', description: `Parts of screenshot requests, saved under a name. ${OURS}` });

export type TemplateRecord = z.infer<typeof TemplateRecord>;

export const templateFields = ({ sites, devices, ads, ...others }: TemplateBody) => ({
  ...others,
  sites: [...sites],
  devices: devices.map(({ name }) => deviceRecord(name)),
  ...(ads && { ads: [...ads] }),
});

export const NewSiteList = z
  .object({ name: nameOf('site list'), sites: sites.min(1, 'must have at least one site.') })
  .meta({ id: 'NewSiteList', description: `A site list to save. ${OURS}` });

export interface SiteListBody {
  readonly sites: readonly { readonly url: string }[];
}

export function siteListBody({ sites }: z.output<typeof NewSiteList>): SiteListBody {
  return { sites: trimmed(sites) };
}

export const SiteListRecord = z
  .object({
    type: z.literal('site_list'),
    id: z.uuid(),
    name: z.string(),
    sites: SitesRecord,
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'SiteList', description: `Sites, saved under a name and shared in the organization. ${OURS}` });

export type SiteListRecord = z.infer<typeof SiteListRecord>;
