/** The rules of filter lists that apply to a page. */
import { type CosmeticFilter, FiltersEngine, type NetworkFilter, Request } from '@ghostery/adblocker';
import { type Bundle, type ListVersion, unpackBundle } from './bundle.ts';
import { indexNames, mayMatch, type PageNames } from './requiredNames.ts';

/** A rule that matched, as the provenance record names it. */
export interface MatchedRule {
  /** The title of the list, or its file or address. */
  readonly list: string;
  readonly rule: string;
}

export interface HidingRule extends MatchedRule {
  readonly selector: string;
}

export interface PageAddresses {
  readonly url: string;
  /** The address of the page that contains the document. */
  readonly pageUrl: string;
}

/** A frame or an image of a page. */
export interface FilledBox {
  readonly kind: 'frame' | 'image';
  readonly source: string;
}

/** Rules may name hundreds of hosts. */
const MAX_RULE = 200;
const MAX_RULES = 2_000;

/** @param packed a bundle of the format of this program. @throws Error if it is none. */
export async function openSlotLists(packed: Uint8Array): Promise<SlotLists> {
  return new SlotLists(await unpackBundle(packed));
}

export class SlotLists {
  readonly versions: readonly ListVersion[];
  readonly #engine: FiltersEngine;
  readonly #ids: readonly ReadonlySet<number>[];
  readonly #generic: readonly CosmeticFilter[];

  constructor({ lists, engine, ids }: Bundle) {
    this.versions = lists;
    this.#engine = FiltersEngine.deserialize(engine);
    this.#ids = ids.map((numbers) => new Set(numbers));
    // Rules for some hosts, and rules with exceptions, are found by the library.
    this.#generic = this.#engine.cosmetics.genericRules.getFilters().filter((rule) => !rule.hasHostnameConstraint());
  }

  /** @returns the hiding rules that apply to the document and may match one of its elements. */
  hidingRules({ url, pageUrl }: PageAddresses, names: PageNames): HidingRule[] {
    const index = indexNames(names);
    const own = this.#matches(url, names);
    // An exception for a page is valid in its frames too.
    const outer = url === pageUrl ? own : this.#matches(pageUrl, NO_NAMES);
    const found = new Map<string, CosmeticFilter>();
    for (const filter of [...own.rules, ...(own.generic ? this.#baseRules(own) : [])]) {
      const isAllowed = filter.isGenericHide() ? own.generic && outer.generic : own.specific && outer.specific;
      const selector = filter.getSelector();
      if (isAllowed && !found.has(selector) && mayMatch(selector, index)) found.set(selector, filter);
    }
    return [...found].slice(0, MAX_RULES).map(([selector, filter]) => ({ selector, ...this.#named(filter, selector) }));
  }

  /** @returns the rule that blocks the source of a frame or an image. */
  blockingRule({ kind, source }: FilledBox, { url }: PageAddresses): MatchedRule | undefined {
    const type = kind === 'frame' ? 'sub_frame' : 'image';
    const { match, filter } = this.#engine.match(Request.fromRawDetails({ url: source, sourceUrl: url, type }));
    return match && filter !== undefined ? this.#named(filter) : undefined;
  }

  #matches(url: string, { classes, ids, hrefs }: PageNames) {
    const { hostname, domain } = Request.fromRawDetails({ url, type: 'main_frame' });
    const { matches } = this.#engine.matchCosmeticFilters({
      url,
      hostname,
      domain,
      classes: [...classes],
      ids: [...ids],
      hrefs: [...hrefs],
    });
    const pageExceptions = matches.flatMap(({ filter, exception }) => (filter === undefined ? [exception] : []));
    const isTurnedOff = (what: 'isGenericHide' | 'isSpecificHide') =>
      pageExceptions.some((rule) => rule !== undefined && 'isElemHide' in rule && rule[what]());
    return {
      generic: !isTurnedOff('isGenericHide'),
      specific: !isTurnedOff('isSpecificHide'),
      rules: matches.flatMap(({ filter, exception }) =>
        filter === undefined || exception !== undefined ? [] : [filter],
      ),
      known: new Set(matches.flatMap(({ filter }) => (filter === undefined ? [] : [filter.getId()]))),
    };
  }

  /** Generic rules without any exception are valid on every host, and the library does not list them for each. */
  #baseRules({ known }: { known: ReadonlySet<number> }): CosmeticFilter[] {
    return this.#generic.filter((rule) => !known.has(rule.getId()));
  }

  #named(filter: CosmeticFilter | NetworkFilter, selector?: string): MatchedRule {
    const id = filter.getId();
    const list = this.versions[this.#ids.findIndex((ids) => ids.has(id))];
    const line = filter.rawLine ?? filter.toString();
    const short =
      line.length <= MAX_RULE ? line : `${line.slice(0, 60)}…${selector === undefined ? '' : `##${selector}`}`;
    return { list: list?.title ?? list?.source ?? 'unknown', rule: short.slice(0, 2 * MAX_RULE) };
  }
}

const NO_NAMES: PageNames = { classes: [], ids: [], attributes: [], hrefs: [] };
