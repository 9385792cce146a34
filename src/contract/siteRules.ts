/** Bodies and records of site rules, and the same rules in files and in the capture protocol. */
import { z } from 'zod';
import { ACCESS_LIMITS, accessFault } from '../domain/pageAccess.ts';
import { SELECTOR_MAX } from '../domain/screenshotOptions.ts';
import {
  type AppliedRule,
  hostFault,
  normalHost,
  normalPath,
  pagesKey,
  pathFault,
  RULE_DEVICES,
  RULE_LIMITS,
  RULE_PARTS,
  type RulePages,
  selectorFault,
} from '../domain/siteRules.ts';
import type { Faults } from './faults.ts';
import { time, uuid } from './records.ts';
import { adSize, Cookie, Header, upTo } from './requests.ts';
import { NOT_BLANK, OURS } from './schemaParts.ts';
import { lengthFault, text } from './textFields.ts';

const selector = text(selectorFault).meta({ ...NOT_BLANK, maxLength: SELECTOR_MAX });
const selectors = upTo(RULE_LIMITS.selectors, selector).nullish();

const KEPT =
  'Null keeps the stored value of this name while the host stays. The values are stored encrypted and never returned.';
const value = <S extends z.ZodString>(given: S) => given.nullish().describe(KEPT);

const slot = z.object({
  size: adSize.nullish().describe('For ads of this size, CSS pixels. A slot without a size is for all other ads.'),
  selector: selector.describe('The first element that matches, in any frame of the page.'),
});

const host = text(hostFault)
  .meta({ ...NOT_BLANK, example: 'news.example' })
  .describe('Host name of the pages, as the request names it. `*.news.example` stands for all its subdomains.');

const fields = {
  path: text(pathFault)
    .meta({ maxLength: RULE_LIMITS.path, pattern: '^\\s*/', example: '/sport/*' })
    .nullish()
    .describe('Path of the pages, without query. `*` stands for any text. `/*` unless given.'),
  device: z.enum(RULE_DEVICES).nullish().describe('The class of devices; `all` unless given.'),
  note: text((given) => lengthFault(given.trim(), RULE_LIMITS.note))
    .meta({ maxLength: RULE_LIMITS.note })
    .nullish()
    .describe('For people, for example why the rule exists.'),
  slots: upTo(RULE_LIMITS.slots, slot)
    .nullish()
    .describe('Chosen instead of the score. `options.slot` of a request comes first.'),
  hide: selectors.describe('CSS selectors of elements that are hidden.'),
  click: selectors.describe(
    'CSS selectors of elements that are clicked one after another. The page must not leave its site.',
  ),
  wait_for: selectors.describe('CSS selectors of elements that must be in the page before its slots are searched.'),
  cookies: upTo(ACCESS_LIMITS.cookies, Cookie.extend({ value: value(Cookie.shape.value) }))
    .nullish()
    .describe('Cookies for the host of the page alone.'),
  headers: upTo(ACCESS_LIMITS.headers, Header.extend({ value: value(Header.shape.value) }))
    .nullish()
    .describe('Headers for requests to the origin of the page alone.'),
};

type Given = z.output<z.ZodObject<typeof fields>>;

/** The faults that concern several parts. */
function checkParts({ slots, cookies, headers }: Given, context: z.RefinementCtx): void {
  const add = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
  const sizes = (slots ?? []).map(({ size }) => (size ? `${size.width}x${size.height}` : ''));
  for (const [index, size] of sizes.entries())
    if (sizes.indexOf(size) < index)
      add(['slots', index, 'size'], 'is the size of an earlier slot: name each size once.');
  const named = (pairs: Given['cookies']) =>
    (pairs ?? []).map((pair) => ({ name: pair.name, value: pair.value ?? '' }));
  const fault = accessFault({ cookies: named(cookies), headers: named(headers) });
  if (fault !== undefined) add([cookies ? 'cookies' : 'headers'], fault);
}

const PARTS = ['slots', 'hide', 'click', 'wait_for', 'cookies', 'headers'] as const;
const newRule = z.object({ host, ...fields });

function requireParts(given: Given, context: z.RefinementCtx): void {
  if (PARTS.every((part) => (given[part] ?? []).length === 0))
    context.addIssue({
      code: 'custom',
      path: ['slots'],
      message: `is required, unless there is one of ${PARTS.slice(1).join(', ')}.`,
    });
  checkParts(given, context);
}

export const NewSiteRule = newRule
  .superRefine(requireParts)
  .meta({ id: 'NewSiteRule', description: `A site rule to create, with at least one part. ${OURS}` });
export type NewSiteRule = z.output<typeof NewSiteRule>;

export const SiteRuleChange = z
  .object({ host: host.nullish().describe('Null: no change.'), ...fields })
  .superRefine(checkParts)
  .meta({
    id: 'SiteRuleChange',
    description: `Changes to a site rule. A field that is left out stays as it is; null resets it. ${OURS}`,
  });
export type SiteRuleChange = z.output<typeof SiteRuleChange>;

const ignored = z.unknown().optional().describe('Ignored.');
/** As a list has them, so that its answer can be sent as it is. */
const ofRecord = {
  type: ignored,
  id: ignored,
  last_acted_at: ignored,
  last_missed_at: ignored,
  created_at: ignored,
  updated_at: ignored,
};

export const SiteRulesImport = z
  .object({
    data: z
      .array(newRule.extend(ofRecord).superRefine(requireParts))
      .min(1, 'must have at least one rule.')
      .max(RULE_LIMITS.rules, `must have at most ${RULE_LIMITS.rules} rules.`),
    ...{ note: ignored, page: ignored, per_page: ignored, total: ignored },
  })
  .superRefine(({ data }, context) => {
    const keys = data.map((rule) => pagesKey(pagesOf(rule)));
    for (const [index, key] of keys.entries())
      if (keys.indexOf(key) < index)
        context.addIssue({
          ...{ code: 'custom', path: ['data', index, 'host'] },
          message: `has the same path and device as data.${keys.indexOf(key)}: combine both rules.`,
        });
  })
  .meta({ id: 'SiteRulesImport', description: `Site rules, as a list of site rules returns them. ${OURS}` });

export const SiteRulesImported = z
  .object({ type: z.literal('site_rules_import'), created: z.int(), replaced: z.int() })
  .meta({ id: 'SiteRulesImported', description: `How many site rules are new, and how many were replaced. ${OURS}` });
export type SiteRulesImported = z.infer<typeof SiteRulesImported>;

const WithoutValue = z
  .array(z.object({ name: z.string(), value: z.null() }))
  .describe('The values are never returned.');
const slotRecord = z.object({ size: adSize.nullable(), selector: z.string() });

export const SiteRuleRecord = z
  .object({
    type: z.literal('site_rule'),
    id: uuid,
    host: z.string(),
    path: z.string(),
    device: z.enum(RULE_DEVICES),
    note: z.string(),
    slots: z.array(slotRecord),
    hide: z.array(z.string()),
    click: z.array(z.string()),
    wait_for: z.array(z.string()),
    cookies: WithoutValue,
    headers: WithoutValue,
    last_acted_at: time.nullable().describe('When a part of it acted last, to the minute.'),
    last_missed_at: time.nullable().describe('When a part of it found nothing last, to the minute.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'SiteRule', description: `The knowledge of the organization about a site. ${OURS}` });
export type SiteRuleRecord = z.infer<typeof SiteRuleRecord>;

/** The parts as the database stores them. Cookies and headers by name. */
export interface SiteRuleBody extends Pick<AppliedRule, 'slots' | 'hide' | 'click' | 'wait_for'> {
  readonly cookies: readonly string[];
  readonly headers: readonly string[];
}

export const pagesOf = ({ host, path, device }: Pick<NewSiteRule, 'host' | 'path' | 'device'>): RulePages => ({
  host: normalHost(host),
  path: normalPath(path ?? '/*'),
  device: device ?? 'all',
});

/** @returns the parts as they are stored; those that are not given are empty. */
export function partsOf({ slots, hide, click, wait_for }: Given): Omit<SiteRuleBody, 'cookies' | 'headers'> {
  const trimmed = (list: readonly string[] | null | undefined) => (list ?? []).map((one) => one.trim());
  return {
    slots: (slots ?? []).map(({ size, selector }) => ({ size: size ?? null, selector: selector.trim() })),
    ...{ hide: trimmed(hide), click: trimmed(click), wait_for: trimmed(wait_for) },
  };
}

const Pairs = z.array(z.object({ name: z.string(), value: z.string() })).readonly();
const strings = z.array(z.string()).readonly();

/** A rule in the capture protocol. */
export const AppliedSiteRule = z.object({
  id: z.string(),
  host: z.string(),
  slots: z.array(slotRecord).readonly(),
  hide: strings,
  click: strings,
  wait_for: strings,
  cookies: Pairs,
  headers: Pairs,
});

/** The effects of rules, in records. */
export const RuleReports = z
  .array(
    z.object({
      id: z.string(),
      host: z.string(),
      effects: z.array(
        z.object({
          part: z.enum(RULE_PARTS),
          target: z.string().describe('The selector, or the names of the cookies or headers.'),
          found: z.int().describe('Elements that were found, or cookies and headers that were set.'),
          problem: z.string().nullable().describe('Why this part did nothing; null if it acted.'),
        }),
      ),
    }),
  )
  .describe(`The site rules of the page, and what each part of them did. ${OURS}`);

export type RuleReport = z.infer<typeof RuleReports>[number];

/**
 * Reads the rules of a file: an answer of the list, or its `data` alone. A rule without an id is named after its place.
 * @returns undefined after adding the faults.
 */
export function readRuleFile(json: unknown, faults: Faults): (AppliedRule & RulePages)[] | undefined {
  const given = faults.read(SiteRulesImport, Array.isArray(json) ? { data: json } : json, '');
  for (const [index, { cookies, headers }] of (given?.data ?? []).entries())
    for (const [kind, pairs] of Object.entries({ cookies, headers }))
      for (const [at, { value }] of (pairs ?? []).entries())
        if ((value ?? null) === null)
          faults.add(`data.${index}.${kind}.${at}.value`, 'is required, because exported rules have no values.');
  if (given === undefined || faults.any) return undefined;
  const filled = (pairs: Given['cookies']) =>
    (pairs ?? []).map((pair) => ({ name: pair.name, value: pair.value ?? '' }));
  return given.data.map((rule, index) => ({
    ...pagesOf(rule),
    ...partsOf(rule),
    id: typeof rule.id === 'string' ? rule.id : `${index + 1}`,
    cookies: filled(rule.cookies),
    headers: filled(rule.headers),
  }));
}
