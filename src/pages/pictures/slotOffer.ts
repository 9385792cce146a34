/** Offers to use a slot that a person chose for all later pictures of its site: one button creates the site rule. */
import { z } from 'zod';
import type { SiteRuleRow } from '../../core/siteRules/siteRuleQueries.ts';
import type { AdSize } from '../../domain/ads.ts';
import { deviceGroup, findDevice } from '../../domain/devices.ts';
import type { RulePages } from '../../domain/siteRules.ts';
import { hostOfSite } from '../../domain/webAddresses.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import type { Viewer } from '../parts/context.ts';
import { hiddenFields } from '../parts/forms.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';

/** The fields of the form, and the parameters of the page of a new rule. */
export const SLOT_FIELDS = ['host', 'device', 'width', 'height', 'selector'] as const;

export interface ChosenSlot {
  /** The address in the request. */
  readonly site: string;
  readonly device: string;
  readonly size: AdSize;
  /** Undefined if no selector of the slot is known. */
  readonly selector: string | undefined;
}

/** The part of a provenance record that says which slot a person chose. */
const Chosen = z.object({
  ad_size: z.tuple([z.number(), z.number()]),
  slot: z.object({ element: z.string().min(1) }),
  options: z.object({
    slot: z.union([z.object({ selector: z.string() }), z.object({ index: z.number() })]),
  }),
  candidates: z.array(z.object({ element: z.string() })).catch([]),
});

/**
 * The names of slots are for people. A name selects its slot if no other slot has it, and if it is a tag with classes, an id,
 * or both. A unit that has no element has several words as its name.
 */
export function selectorOf(element: string, slots: readonly { readonly element: string }[]): string | undefined {
  const isSelector = /^(#[a-z_][\w-]*|(#[a-z_][\w-]* )?[a-z][\w-]*(\.[a-z_][\w-]*)*)$/i.test(element);
  return isSelector && slots.filter((one) => one.element === element).length < 2 ? element : undefined;
}

/** @returns the slot that the request of a picture chose; undefined if the score did. */
export function chosenSlot(record: object | undefined): Pick<ChosenSlot, 'size' | 'selector'> | undefined {
  const { data } = Chosen.safeParse(record);
  if (data === undefined) return undefined;
  const [width, height] = data.ad_size;
  const { slot } = data.options;
  const selector = 'selector' in slot ? slot.selector : selectorOf(data.slot.element, data.candidates);
  return { size: { width, height }, selector };
}

/** @returns the pages of the rule that the offer makes; undefined for an unknown device. */
export function pagesOfOffer({ site, device }: Pick<ChosenSlot, 'site' | 'device'>): RulePages | undefined {
  const found = findDevice(device);
  return found && { host: hostOfSite(site), path: '/*', device: deviceGroup(found) };
}

/** @param rule the one for these pages, if there is one. */
export function slotOffer(
  chosen: ChosenSlot,
  { viewer, paths, next, rule }: { viewer: Viewer; paths: PagePaths; next: string; rule: SiteRuleRow | undefined },
): HtmlContent {
  const pages = pagesOfOffer(chosen);
  if (pages === undefined || !viewer.canWrite) return null;
  const { size, selector } = chosen;
  const path = paths.settings('site_rules');
  const known = rule?.body.slots.some((slot) => slot.selector === selector && isFor(slot.size, size));
  if (rule !== undefined && known)
    return html`<p class="meta">A <a href="${path}/${rule.id}">site rule</a> uses this slot on <bdi>${pages.host}</bdi>.</p>`;
  const values = { ...pages, selector: selector ?? '', width: String(size.width), height: String(size.height) };
  const fields = SLOT_FIELDS.map((name) => html`<input type="hidden" name="${name}" value="${values[name]}">`);
  const given = Object.fromEntries(SLOT_FIELDS.map((name) => [name, values[name]]));
  const edit = rule === undefined ? addressOf(`${path}/new`, given) : `${path}/${rule.id}`;
  if (selector === undefined)
    return html`<p class="meta">To use this slot on <bdi>${pages.host}</bdi> from now on, <a href="${edit}">add a CSS selector</a>
that only this slot matches.</p>`;
  return html`<div class="note offer"><p>Use this slot on <bdi>${pages.host}</bdi> from now on?
<span class="meta"><code>${selector}</code> for ads of ${size.width} × ${size.height} on ${pages.device}s</span></p>
<form method="post" action="${path}/use">${hiddenFields(viewer, next)}${fields}
<p class="actions">${button({ label: 'Use it from now on', icon: 'check' })} <a href="${edit}">Edit the rule</a></p></form></div>`;
}

const isFor = (of: AdSize | null, { width, height }: AdSize) =>
  of === null || (of.width === width && of.height === height);
