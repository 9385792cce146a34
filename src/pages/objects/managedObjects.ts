/** Ads, sets and campaigns for the pages that change and delete them: what they are, and what a deletion removes. */
import type { z } from 'zod';
import { AdChange, CampaignChange, SetChange } from '../../contract/changes.ts';
import { readAdHead } from '../../core/ads/readAd.ts';
import { adIsShown, readCampaignUse } from '../../core/removal/deletions.ts';
import { MAX_SCREENSHOTS_OF_CAMPAIGN, removeAd, removeCampaign, removeSet } from '../../core/removal/removal.ts';
import { COUNT_MOST, readCountedCampaign } from '../../core/sets/campaigns.ts';
import { changeAd, changeSet, renameCampaign } from '../../core/sets/changes.ts';
import { readProgress, readSetHead } from '../../core/sets/readSet.ts';
import type { Queryable } from '../../db/database.ts';
import type { ObjectRef } from '../../db/rows.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { setName } from '../../domain/setNames.ts';
import type { SectionName } from '../parts/context.ts';
import { type FormTable, formTable } from '../parts/formTable.ts';
import { isRunning } from '../pictures/pictures.ts';

export interface ManagedObject {
  /** For people. */
  readonly name: string;
  /** The values of its form, by the paths of the API. */
  readonly stored: object;
  /** The parts that are removed with it, for people. */
  readonly removes: readonly string[];
  /** Why it cannot be deleted now; undefined if it can. */
  readonly obstacle?: string | undefined;
}

export interface ObjectType<S extends z.ZodObject = z.ZodObject> {
  readonly noun: 'ad' | 'set' | 'campaign';
  readonly section: SectionName;
  readonly form: FormTable<S>;
  /** A sentence about what stays or becomes free. */
  readonly stays: string;
  /** All addresses of these objects have it. */
  readonly segment: 'ads' | 'screenshot_sets' | 'campaigns';
  /** @returns undefined if the organization has no such object. */
  read(db: Queryable, ref: ObjectRef): Promise<ManagedObject | undefined>;
  /** @throws Failure (404, 409, 410, 422) */
  change(tx: Queryable, ref: ObjectRef, given: { readonly change: z.output<S>; readonly actor: Actor }): Promise<void>;
  /** Does nothing if it was deleted before. @throws Failure (404, 409) */
  remove(tx: Queryable, ref: ObjectRef, actor: Actor): Promise<void>;
}

const AD: ObjectType<typeof AdChange> = {
  noun: 'ad',
  section: 'ads',
  form: formTable(AdChange, {
    name: {
      label: 'Name',
      isRequired: true,
      hint: 'Events already sent keep the old name. Search finds the new name within minutes.',
    },
  }),
  stays: 'Its lookup key can be used for another ad immediately.',
  segment: 'ads',
  read: async (db, ref) => {
    const ad = await readAdHead(db, ref);
    if (ad === undefined) return undefined;
    const removes = ['its preview and its frames', 'its uploaded file, if no other ad uses it'];
    return { name: ad.name, stored: ad, removes, obstacle: await obstacleOfAd(db, ref.id, ad.status) };
  },
  change: changeAd,
  remove: removeAd,
};

async function obstacleOfAd(db: Queryable, id: string, status: string): Promise<string | undefined> {
  if (status === 'pending') return 'Its preview is being captured. Wait until it is finished.';
  if (await adIsShown(db, id)) return 'Sets show this ad. Delete these sets first, or the whole campaign.';
  return undefined;
}

const SET: ObjectType<typeof SetChange> = {
  noun: 'set',
  section: 'campaigns',
  form: formTable(SetChange, {
    name: { label: 'Name', hint: 'Leave empty for its campaign and its contents as its name.' },
    instructions: {
      label: 'Instructions',
      rows: 6,
      hint: 'Everyone with access to the set sees them. Shared pages and exports do not show them.',
      read: (text) => (text.trim() === '' ? null : text.replaceAll('\r\n', '\n')),
    },
  }),
  stays: 'Its ads and its retakes stay.',
  segment: 'screenshot_sets',
  read: async (db, ref) => {
    const set = await readSetHead(db, ref);
    if (set === undefined) return undefined;
    const obstacle = isRunning(set)
      ? 'It is waiting or being captured. Cancel it first, or wait until it is finished.'
      : undefined;
    const { total = 0 } = (await readProgress(db, ref)) ?? {};
    const removes = [`its ${counted(total, 'picture')}, with their reviews`, 'its share links and exports'];
    return { name: setName(set), stored: set, removes, obstacle };
  },
  change: changeSet,
  remove: removeSet,
};

const CAMPAIGN: ObjectType<typeof CampaignChange> = {
  noun: 'campaign',
  section: 'campaigns',
  form: formTable(CampaignChange, {
    name: {
      label: 'Name',
      max: 250,
      hint:
        'A later request with the old name creates a new campaign, so rename it in your own system first. ' +
        'Events already sent keep the old name.',
    },
  }),
  stays: 'Its name can be used for another campaign immediately.',
  segment: 'campaigns',
  read: async (db, ref) => {
    const campaign = await readCountedCampaign(db, ref);
    if (campaign === undefined) return undefined;
    const removes = [
      `${counted(campaign.sets, 'set')}, with pictures, reviews, share links and exports`,
      `${counted(campaign.ads, 'ad')}, with previews`,
      'its schedules',
    ];
    return { name: campaign.name, stored: campaign, removes, obstacle: await obstacleOfCampaign(db, ref.id) };
  },
  change: (tx, ref, { change: { name }, actor }) => renameCampaign(tx, ref, { name, actor }),
  remove: removeCampaign,
};

async function obstacleOfCampaign(db: Queryable, id: string): Promise<string | undefined> {
  const use = await readCampaignUse(db, id, MAX_SCREENSHOTS_OF_CAMPAIGN + 1);
  if (use.isCaptured)
    return 'One of its sets is waiting, or one of its sets or ads is being captured. Cancel the set first, or wait until it is finished.';
  if (use.screenshots > MAX_SCREENSHOTS_OF_CAMPAIGN)
    return `It has more than ${MAX_SCREENSHOTS_OF_CAMPAIGN.toLocaleString('en')} pictures. Delete some of its sets first.`;
  return undefined;
}

/** Counts of campaigns end at COUNT_MOST. */
function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')}${count === COUNT_MOST ? ' or more' : ''} ${noun}${count === 1 ? '' : 's'}`;
}

export const OBJECT_TYPES: readonly ObjectType[] = [AD, SET, CAMPAIGN];
