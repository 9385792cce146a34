/** The content of the form of a new request. The page sends all of it each time, so that nothing is lost. */
import { randomUUID } from 'node:crypto';
import type { FormFields } from '../../api/uploads/multipart.ts';
import { isUuid } from '../../domain/slugs.ts';

export interface Draft {
  /** Makes two sendings of the same form one request. */
  readonly key: string;
  /** Ids of the ads, each once. */
  readonly adIds: readonly string[];
  /** Addresses, one a line, or one tag; not added yet. */
  readonly media: string;
  readonly mediaName: string;
  /** For example `300x250`. */
  readonly mediaSize: string;
  /** One address a line. */
  readonly sites: string;
  readonly devices: readonly string[];
  /** Seconds, separated by commas or blanks. */
  readonly markers: string;
  readonly allowScaling: boolean;
  /** A CSS selector or the number of a candidate. */
  readonly slot: string;
  readonly keepOtherAds: boolean;
  readonly fullPage: boolean;
  readonly campaign: string;
  readonly instructions: string;
  /** Id of the chosen template. */
  readonly template: string;
  readonly templateName: string;
}

/** Creatives of one request on the page; the API takes more. */
export const CREATIVES_MAX = 100;

export function newDraft(): Draft {
  return {
    ...{ key: randomUUID(), adIds: [], media: '', mediaName: '', mediaSize: '', sites: '', devices: ['desktop'] },
    ...{ markers: '', allowScaling: false, slot: '', keepOtherAds: false, fullPage: false },
    ...{ campaign: '', instructions: '', template: '', templateName: '' },
  };
}

/** Browsers send lines of a text area with CR LF. */
const plainLines = (text: string) => text.replaceAll('\r\n', '\n');

export function readDraft(fields: FormFields): Draft {
  const text = (name: string) => plainLines(fields.get(name)?.[0] ?? '').replaceAll('\0', '\uFFFD');
  const isChecked = (name: string) => fields.has(name);
  return {
    key: isUuid(text('key')) ? text('key') : randomUUID(),
    adIds: adIdsOf(fields.get('ad') ?? []),
    media: text('media'),
    mediaName: text('media_name'),
    mediaSize: text('media_size'),
    sites: text('sites'),
    devices: [...new Set(fields.get('device') ?? [])],
    markers: text('markers'),
    allowScaling: isChecked('allow_scaling'),
    slot: text('slot'),
    keepOtherAds: isChecked('keep_other_ads'),
    fullPage: isChecked('full_page'),
    campaign: text('campaign'),
    instructions: text('instructions'),
    template: text('template'),
    templateName: text('template_name'),
  };
}

/** @returns the ids that can be ids of ads, in lower case, each once. */
export function adIdsOf(values: readonly string[]): string[] {
  return [...new Set(values.filter(isUuid).map((id) => id.toLowerCase()))].slice(0, CREATIVES_MAX);
}
