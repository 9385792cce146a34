/** The options of a screenshot as JSON: in the database, in the capture protocol and in the provenance record. */
import { z } from 'zod';
import { DEFAULT_OPTIONS, OTHER_ADS, PAGE_VIEWS, type ScreenshotOptions } from '../domain/screenshotOptions.ts';
import { SLOT_FORMATS } from '../domain/slotFormats.ts';

export const OptionsJson = z.object({
  allow_scaling: z.boolean(),
  slot: z
    .union([
      z.object({ selector: z.string() }),
      z.object({ index: z.number().int().min(1) }),
      z.object({
        area: z.object({ x: z.number(), y: z.number(), width: z.number().optional(), height: z.number().optional() }),
      }),
      z.object({ format: z.enum(SLOT_FORMATS) }),
    ])
    .nullable(),
  other_ads: z.enum(OTHER_ADS),
  full_page: z.boolean(),
  // These are absent in rows of earlier releases.
  view: z.enum(PAGE_VIEWS).nullish(),
  animation: z.object({ seconds: z.number().int(), fps: z.number().int() }).nullish(),
  location: z.string().nullish(),
  // The names only.
  access: z.object({ cookies: z.array(z.string()), headers: z.array(z.string()) }).nullish(),
  group: z.string().nullish(),
  given_page: z.string().nullish(),
});

export type OptionsJson = z.infer<typeof OptionsJson>;

export function optionsToJson(options: ScreenshotOptions): OptionsJson {
  const { allowScaling, slot, otherAds, fullPage, view, animation, location, access, group, givenPage } = options;
  return {
    allow_scaling: allowScaling,
    slot,
    other_ads: otherAds,
    full_page: fullPage,
    view,
    animation,
    ...(location !== null && { location }),
    ...(access !== null && { access: { cookies: [...access.cookies], headers: [...access.headers] } }),
    ...(group !== null && { group }),
    ...(givenPage !== null && { given_page: givenPage }),
  };
}

/** @param json null or undefined stands for the default options. */
export function optionsFromJson(json: OptionsJson | null | undefined): ScreenshotOptions {
  if (json === null || json === undefined) return DEFAULT_OPTIONS;
  return {
    allowScaling: json.allow_scaling,
    slot: json.slot,
    otherAds: json.other_ads,
    fullPage: json.full_page,
    view: json.view ?? DEFAULT_OPTIONS.view,
    animation: json.animation ?? null,
    location: json.location ?? null,
    access: json.access ?? null,
    group: json.group ?? null,
    givenPage: json.given_page ?? null,
  };
}
