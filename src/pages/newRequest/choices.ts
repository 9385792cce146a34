/** The choices for single pages of a draft: slots and places by clicking, and files that are shown in place of sites. */
import { z } from 'zod';
import type { AdSize } from '../../domain/ads.ts';
import { findDevice } from '../../domain/devices.ts';
import { invalid } from '../../domain/failure.ts';
import { siteFault, siteKey } from '../../domain/webAddresses.ts';

export interface SitePage {
  readonly site: string;
  /** '' is all devices. */
  readonly device: string;
}

/** The files that can be shown as a page. */
export const PAGE_FILES = {
  accept: '.png,.jpg,.jpeg,.webp,.mhtml,.mht,.html,.htm,.zip',
  hint: 'A PNG, JPEG or WebP of the page, or the page saved as MHTML (“Webpage, single file”), as HTML, or as a zip of HTML with its files.',
};

const KEY = z.string().regex(/^\["[^"\\]*","[^"\\]*"(?:,(?:null|\[\d{1,5},\d{1,5}\]))?\]$/);
/** The top left corner of the ad in a screenshot, in CSS pixels of the page. */
const Place = z.object({ x: z.int().min(0), y: z.int().min(0) });

const Choices = z.object({
  /** The number of a slot, or a place in a screenshot, by {@link slotKey}. */
  slots: z.record(KEY, z.union([z.int().min(1), Place])),
  /** Uploads by {@link pageKey}. */
  files: z.record(KEY, z.object({ id: z.uuid(), name: z.string(), isScreenshot: z.boolean() })),
});
export type Choices = z.infer<typeof Choices>;
export type PageFile = Choices['files'][string];

/** @param json as a field of the form has it. */
export function readChoices(json: string): Choices {
  try {
    return Choices.parse(JSON.parse(json));
  } catch {
    return { slots: {}, files: {} };
  }
}

/** @throws Failure (422) */
export function pageOfForm(fieldOf: (name: string) => string): SitePage {
  const [site, device] = [fieldOf('slot_site'), findDevice(fieldOf('slot_device'))?.name];
  if (siteFault(site) !== undefined || device === undefined)
    throw invalid({ slots: ['Enter a site and choose a device first.'] });
  return { site, device };
}

export const pageKey = ({ site, device }: SitePage): string => JSON.stringify([siteKey(site), device]);

/** A slot has a number for each page, and for each size of ads. */
export function slotKey({ site, device }: SitePage, size: AdSize | null): string {
  return JSON.stringify([siteKey(site), device, size && [size.width, size.height]]);
}

/** A screenshot shows one device. A saved page is opened on each device that has no screenshot. */
export function fileOf({ files }: Pick<Choices, 'files'>, page: SitePage): PageFile | undefined {
  return files[pageKey(page)] ?? files[pageKey({ ...page, device: '' })];
}

/** @returns those whose page is a file. */
export function ofFiles<T extends SitePage>(choices: Pick<Choices, 'files'>, pages: readonly T[] = []): readonly T[] {
  return Object.keys(choices.files).length === 0 ? [] : pages.filter((page) => fileOf(choices, page));
}

/** @returns the file of a page, and the slot for ads of this size, as the API takes it. A screenshot has places, and no slots. */
export function chosenFor(choices: Choices, page: SitePage, size: AdSize | null) {
  const file = fileOf(choices, page);
  const chosen = choices.slots[slotKey(page, size)];
  const [index, area] = typeof chosen === 'number' ? [chosen] : [undefined, chosen];
  if (file?.isScreenshot) return { file, slot: area && { area }, isUnplaced: area === undefined };
  return { file, slot: index && { index }, isUnplaced: false };
}

export function withFile(choices: Choices, page: SitePage, file: PageFile): Choices {
  const { slots, files } = withoutChoice(choices, pageKey(page));
  return { slots, files: { ...files, [pageKey(file.isScreenshot ? page : { ...page, device: '' })]: file } };
}

/** @param key of a slot; or of a file, which is removed with the places of ads in it. */
export function withoutChoice({ slots, files }: Choices, key: string): Choices {
  const isPlaceIn = (other: string, chosen: unknown) =>
    typeof chosen === 'object' && other.startsWith(key.slice(0, -1));
  const kept = Object.entries(slots).filter(([other, chosen]) => other !== key && !isPlaceIn(other, chosen));
  return {
    slots: Object.fromEntries(kept),
    files: Object.fromEntries(Object.entries(files).filter(([other]) => other !== key)),
  };
}
