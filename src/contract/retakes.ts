/** The bodies of retakes and duplicates. */
import { z } from 'zod';
import type { DeviceName } from '../domain/devices.ts';
import type { Limits } from '../domain/limits.ts';
import type { Metadata } from '../domain/metadata.ts';
import type { PageAccess } from '../domain/pageAccess.ts';
import type { ScreenshotOptions } from '../domain/screenshotOptions.ts';
import { siteKey } from '../domain/webAddresses.ts';
import { Faults, type JsonObject } from './faults.ts';
import { GivenMetadata } from './metadata.ts';
import { accessOf, givenPageOf, optionsOf, type ParsedSubscriber, subscribersReader } from './readRequest.ts';
import { Instructions, screenshotObject, subscribersOf } from './requests.ts';
import { OURS } from './schemaParts.ts';

const WHICH = ['all', 'failures'] as const;

export const retakeBodies = (limits: Limits) => {
  const { site, device, options } = screenshotObject(limits).shape;
  const changes = {
    site: site.nullish().describe('Another page, or a file that is shown as the page.'),
    device: device.nullish().describe('Another device.'),
    options: options.describe('Options that differ from those of the screenshot. The markers cannot be changed.'),
    subscribers: subscribersOf(limits).describe('Absent: as in the request of the set. An empty array: none.'),
    instructions: Instructions.nullish(),
    metadata: GivenMetadata.nullish(),
  };
  const which = {
    which: z
      .enum(WHICH)
      .nullish()
      .describe('`failures`: those that failed and were not taken again since. `all`, the default: the whole set.'),
    screenshot_ids: z
      .array(z.uuid())
      .min(1)
      .max(limits.screenshots)
      .nullish()
      .describe('Only these screenshots of the set, instead of `which`.'),
  };
  return {
    RetakeScreenshot: z
      .object(changes)
      .meta({ id: 'RetakeScreenshot', description: `Changes to the screenshot; it needs none. ${OURS}` }),
    RetakeSet: z
      .object({ ...which, ...changes })
      .meta({ id: 'RetakeSet', description: `The screenshots to take again, and changes to them. ${OURS}` }),
  };
};

export interface ParsedRetake {
  readonly which: (typeof WHICH)[number];
  readonly screenshotIds: readonly string[] | undefined;
  readonly site: { readonly url: string; readonly key: string } | undefined;
  readonly device: DeviceName | undefined;
  /** The number of a candidate, if the request chooses the slot by number. */
  readonly slotIndex: number | undefined;
  /** @param own the options of the screenshot. */
  changedOptions(own: ScreenshotOptions): ScreenshotOptions;
  /** Other cookies and headers; null: those of the screenshot, if the page is on the same host. */
  readonly access: PageAccess | null;
  /** Undefined: as in the original set. */
  readonly subscribers: readonly ParsedSubscriber[] | undefined;
  readonly instructions: string | undefined;
  readonly metadata: Metadata | undefined;
  readonly faults: Faults;
}

/** @returns a parser for these limits. It creates its schemas once. */
export function retakeParser(limits: Limits): (body: JsonObject) => ParsedRetake {
  const whole = retakeBodies(limits).RetakeSet;
  const schema = whole.omit({ subscribers: true });
  const readSubscribers = subscribersReader(whole.shape.subscribers);
  return (body) => {
    const faults = new Faults();
    const given = faults.read(schema, body, '');
    if ((given?.options?.ad?.frames ?? []).length > 0) {
      faults.add('options.ad.frames', 'cannot be changed: a retake keeps the markers of its screenshots.');
    }
    const sent = body['subscribers'] ?? undefined;
    return {
      which: given?.which ?? 'all',
      screenshotIds: given?.screenshot_ids?.map((id) => id.toLowerCase()),
      site: given?.site ? { url: given.site.url, key: siteKey(given.site.url) } : undefined,
      device: given?.device?.name,
      slotIndex: given?.options?.slot?.index ?? undefined,
      changedOptions: (own) =>
        optionsOf(given?.options, given?.site ? { ...own, givenPage: givenPageOf(given.site) } : own),
      access: accessOf(given?.options),
      subscribers: sent === undefined ? undefined : readSubscribers(sent, faults),
      instructions: given?.instructions ?? undefined,
      metadata: given?.metadata ?? undefined,
      faults,
    };
  };
}
