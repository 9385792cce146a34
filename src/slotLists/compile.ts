/** Compiles filter lists. EasyList takes more than a second of processor time, so services call {@link compileInWorker}. */
import {
  Config,
  type CosmeticFilter,
  ENGINE_VERSION,
  FiltersEngine,
  type NetworkFilter,
  parseFilters,
} from '@ghostery/adblocker';
import { sha256Of } from '../lib/sha256.ts';
import { type ListVersion, packBundle } from './bundle.ts';
import { parseListHeader } from './listHeader.ts';

export interface ListText {
  /** The file or the address. */
  readonly source: string;
  readonly text: string;
}

/** Programs read only bundles of their own format: that of the library, and ours. */
export const BUNDLE_FORMAT = `1-${ENGINE_VERSION}`;

/** `debug` keeps the lines of the rules, because records name them. Optimizations would join rules. */
const CONFIG = new Config({ debug: true, enableOptimizations: false });

interface ParsedList {
  readonly version: ListVersion;
  readonly cosmetic: readonly CosmeticFilter[];
  readonly network: readonly NetworkFilter[];
}

/** @returns the packed bundle. */
export function compileLists(lists: readonly ListText[]): Promise<Buffer> {
  const parsed = lists.map(parseList);
  const engine = new FiltersEngine({
    cosmeticFilters: parsed.flatMap(({ cosmetic }) => cosmetic),
    networkFilters: parsed.flatMap(({ network }) => network),
    config: CONFIG,
  });
  return packBundle({
    lists: parsed.map(({ version }) => version),
    engine: engine.serialize(),
    ids: parsed.map(({ cosmetic, network }) =>
      Uint32Array.from([...cosmetic, ...network].map((filter) => filter.getId())).sort(),
    ),
  });
}

function parseList({ source, text }: ListText): ParsedList {
  const { title, version, commit, lastModified } = parseListHeader(text);
  const all = parseFilters(withNativeSyntax(text), CONFIG);
  const cosmetic = all.cosmeticFilters.filter(isUsed);
  const network = all.networkFilters.filter(isAboutPlaces);
  const unread = all.notSupportedFilters.filter(({ filter }) => /#@?[?$%^]*#/.test(filter));
  const about = { source, title, version, commit, last_modified: lastModified, sha256: sha256Of(Buffer.from(text)) };
  const rules = cosmetic.length + network.length;
  const ignored = all.cosmeticFilters.length - cosmetic.length + unread.length;
  return { version: { ...about, rules, ignored }, cosmetic, network };
}

/** `#?#` announces extended selectors. Those of the browser itself, such as `:has()`, need no announcement. */
function withNativeSyntax(text: string): string {
  return text.replace(/^([^#!\n]*)#(@?)\?#(.*)$/gm, (line, hosts: string, exception: string, selector: string) => {
    const native = selector.replaceAll(':-abp-has(', ':has(');
    return isExtended(native) ? line : `${hosts}#${exception}#${native}`;
  });
}

/** Selectors that only content blockers evaluate. */
function isExtended(selector: string): boolean {
  return /:-abp-|:(has-text|contains|xpath|upward|nth-ancestor|min-text-length|matches-[\w-]+|if|if-not|watch-attr|remove|remove-attr|remove-class|others|style)\(/.test(
    selector,
  );
}

/** Scripts, styles other than hiding, and selectors that the browser does not know are not used. */
function isUsed(filter: CosmeticFilter): boolean {
  if (filter.isScriptInject() || filter.isExtended() || filter.hasCustomStyle()) return false;
  return !filter.getSelector().startsWith('^') && !isExtended(filter.getSelector());
}

/** Exceptions that turn hiding off for a page, and rules about what fills a box: frames and images. */
function isAboutPlaces(filter: NetworkFilter): boolean {
  if (filter.isGenericHide() || filter.isSpecificHide() || filter.isBadFilter()) return true;
  if (filter.isCSP() || filter.isRemoveParam() || filter.isRedirect() || filter.isHtmlFilteringRule()) return false;
  return filter.fromSubdocument() || filter.fromImage();
}
