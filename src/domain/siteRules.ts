/** Rules of an organization for a site: the slot for a size, elements to hide, to click and to wait for, cookies and headers. */
import type { AdSize } from './ads.ts';
import type { DeviceGroup } from './devices.ts';
import { ACCESS_LIMITS, type NamedValue, type PageAccess } from './pageAccess.ts';
import { SELECTOR_MAX } from './screenshotOptions.ts';
import { codePoints, isBlank } from './text.ts';

/** `all`: on every device. */
export const RULE_DEVICES = ['all', 'desktop', 'tablet', 'phone'] as const satisfies readonly (DeviceGroup | 'all')[];
export type RuleDevice = (typeof RULE_DEVICES)[number];

export const RULE_LIMITS = {
  /** Rules of an organization. One page of a list shows all. */
  rules: 500,
  slots: 20,
  /** To hide, to click and to wait for, each. */
  selectors: 20,
  path: 500,
  note: 500,
  /** Only the most specific rules apply to a page. */
  ofPage: 5,
} as const;

/** The parts of a rule that can find nothing. */
export const RULE_PARTS = ['slot', 'hide', 'click', 'wait_for', 'cookies', 'headers'] as const;
export type RulePart = (typeof RULE_PARTS)[number];

/** The pages of a rule. No two rules of an organization have the same. */
export interface RulePages {
  /** A host name as {@link normalHost} writes it, with `*.` in front for its subdomains. */
  readonly host: string;
  /** The path of the address of a page, in which `*` stands for any text. */
  readonly path: string;
  readonly device: RuleDevice;
}

export interface RuleSlot {
  /** Null: for ads of every size. */
  readonly size: AdSize | null;
  readonly selector: string;
}

/** A rule as captures get it: its actions on a page, whose texts are CSS selectors, and its cookies and headers. */
export interface AppliedRule extends PageAccess {
  readonly id: string;
  readonly host: string;
  readonly slots: readonly RuleSlot[];
  readonly hide: readonly string[];
  readonly click: readonly string[];
  readonly wait_for: readonly string[];
}

const WILDCARD = '*.';
const HOST_MAX = 253;
const IS_ADDRESS = /^[\d.]+$/;

/** @returns why the text names no hosts, or undefined. */
export function hostFault(text: string): string | undefined {
  const { isWildcard, name } = hostParts(text);
  const host = hostnameOf(name);
  if (host === undefined)
    return 'must be a host name such as news.example, or *.news.example for its subdomains, without https://, port and path.';
  if (isWildcard && (IS_ADDRESS.test(host) || !host.includes('.')))
    return 'must have at least two names after "*.", such as *.news.example.';
  return undefined;
}

/** @returns the host in lower case and ASCII. Only for hosts without a fault. */
export function normalHost(text: string): string {
  const { isWildcard, name } = hostParts(text);
  return (isWildcard ? WILDCARD : '') + (hostnameOf(name) ?? name);
}

function hostParts(text: string): { isWildcard: boolean; name: string } {
  const host = text.trim();
  const isWildcard = host.startsWith(WILDCARD);
  return { isWildcard, name: isWildcard ? host.slice(WILDCARD.length) : host };
}

function hostnameOf(name: string): string | undefined {
  if (/[\s/\\?#@:*%[\]\p{Cc}]/u.test(name) || name.length > HOST_MAX) return undefined;
  const host = URL.parse(`https://${name}/`)?.hostname ?? '';
  return host === '' || host.length > HOST_MAX || host.includes('..') ? undefined : withoutDot(host);
}

const withoutDot = (host: string) => host.replace(/\.$/, '');

export function pathFault(text: string): string | undefined {
  const path = text.trim();
  if (!path.startsWith('/')) return 'must begin with "/", for example /sport/*.';
  if (/[?#\p{Cc}]/u.test(path)) return 'must be a path without query and fragment, for example /sport/*.';
  if (normalPath(path).length > RULE_LIMITS.path)
    return `must be at most ${RULE_LIMITS.path} characters when it is percent-encoded as in an address.`;
  return undefined;
}

/** @returns the path as addresses have it. Only for paths without a fault. */
export function normalPath(text: string): string {
  // A second slash would begin a host.
  const path = text
    .trim()
    .replace(/^[/\\]+/, '/')
    .replaceAll(/\*+/g, '*');
  return URL.parse(path, 'https://site.example')?.pathname ?? path;
}

/** @returns why it cannot be a selector of a rule, or undefined. Only a browser knows whether it is valid CSS. */
export function selectorFault(text: string): string | undefined {
  if (isBlank(text)) return 'must not be blank: give a CSS selector.';
  if (codePoints(text) > SELECTOR_MAX) return `must be at most ${SELECTOR_MAX} characters.`;
  if (/[{}\p{Cc}]/u.test(text)) return 'must be one CSS selector, without braces, line breaks and control characters.';
  if ((text.match(/:has\(/gi) ?? []).length > 1)
    return 'must contain :has() at most once, because it is slow on large pages.';
  return undefined;
}

export const pagesKey = ({ host, path, device }: RulePages): string => `${host} ${path} ${device}`;

export interface PageOfRules {
  /** The address that is opened. */
  readonly url: string;
  readonly device: DeviceGroup;
}

/** @returns the rules for a page, the most specific first: by host, then by path, then by device. */
export function rulesFor<R extends RulePages>(rules: readonly R[], { url, device }: PageOfRules): R[] {
  const page = URL.parse(url);
  if (page === null) return [];
  const hosts = ruleHosts(url);
  return rules
    .filter(
      (rule) =>
        (rule.device === 'all' || rule.device === device) &&
        hosts.includes(rule.host) &&
        matchesPath(rule.path, page.pathname),
    )
    .sort(bySpecificity)
    .slice(0, RULE_LIMITS.ofPage);
}

function bySpecificity(one: RulePages, two: RulePages): number {
  return hostRank(two) - hostRank(one) || pathRank(two) - pathRank(one) || deviceRank(two) - deviceRank(one);
}

/** A host name comes before all wildcards, and a longer wildcard before a shorter one. */
const hostRank = ({ host }: RulePages) => (host.startsWith(WILDCARD) ? host.length : HOST_MAX * 2);
/** The characters that are not wildcards. A path without wildcards comes before those with the same characters. */
const pathRank = ({ path }: RulePages) => path.replaceAll('*', '').length * 2 + (path.includes('*') ? 0 : 1);
const deviceRank = ({ device }: RulePages) => (device === 'all' ? 0 : 1);

/** @returns the hosts of rules for an address: its host, and a wildcard for each domain above it. */
export function ruleHosts(url: string): string[] {
  const host = withoutDot(URL.parse(url)?.hostname ?? '');
  const names = host.split('.');
  return [host, ...names.slice(1).map((_, at) => WILDCARD + names.slice(at + 1).join('.'))];
}

/** Takes each part at its first place, so the time grows with the lengths only, whatever the number of stars. */
function matchesPath(pattern: string, path: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return path === pattern;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}

/** @param rules the most specific first. @returns the slot for an ad of this size, and its rule. */
export function slotFor(
  rules: readonly AppliedRule[],
  { width, height }: AdSize,
): { readonly rule: AppliedRule; readonly selector: string } | undefined {
  for (const rule of rules) {
    const own = rule.slots.find(({ size }) => size?.width === width && size.height === height);
    const slot = own ?? rule.slots.find(({ size }) => size === null);
    if (slot !== undefined) return { rule, selector: slot.selector };
  }
  return undefined;
}

/** @param given those of the request, which replace those of rules with the same names. */
export function withAccessOf(rules: readonly PageAccess[], given: PageAccess | undefined): PageAccess | undefined {
  const all = [...(given ? [given] : []), ...rules];
  const merged = (kind: 'cookies' | 'headers', keyOf: (name: string) => string) => {
    // The first of a name counts.
    const pairs = all.flatMap((access) => access[kind]).toReversed();
    const byName = new Map<string, NamedValue>(pairs.map((pair) => [keyOf(pair.name), pair]));
    return [...byName.values()].toReversed().slice(0, ACCESS_LIMITS[kind]);
  };
  const cookies = merged('cookies', (name) => name);
  const headers = merged('headers', (name) => name.toLowerCase());
  return cookies.length + headers.length === 0 ? undefined : { cookies, headers };
}

/** @returns the slots with this one in place of the other of its size. */
export function withSlot(slots: readonly RuleSlot[], slot: RuleSlot): RuleSlot[] {
  const isSameSize = ({ size }: RuleSlot) => size?.width === slot.size?.width && size?.height === slot.size?.height;
  return [...slots.filter((one) => !isSameSize(one)), slot];
}
