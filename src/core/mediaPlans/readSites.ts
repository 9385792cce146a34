/** Reads the sites of a list that a person uploaded. */
import { findSiteColumn, siteCell } from '../../domain/mediaPlans.ts';
import { siteKey } from '../../domain/webAddresses.ts';
import { contentOf, tableOfText } from './readTable.ts';

export interface ReadSites {
  /** Addresses as given, each site once. */
  readonly sites: readonly string[];
  /** Rows, from 1, that are no site, with what to do. */
  readonly faults: readonly { readonly row: number; readonly text: string }[];
}

/**
 * @param file text with a site in each line, or a CSV or XLSX with a column such as "site", "url" or "address".
 * @throws Failure (422) for a file that cannot be read at all.
 */
export async function readSites(file: Buffer): Promise<ReadSites> {
  const content = await contentOf(file, findSiteColumn);
  const table = typeof content === 'string' ? tableOfText(content) : content.rows;
  const found = findSiteColumn(table);
  // A line without other columns may have commas in its address.
  const lines = found === undefined && typeof content === 'string' ? content.split(/\r?\n/) : undefined;
  const cells = lines ?? table.map((row) => row[found?.column ?? 0] ?? '');
  const sites = new Map<string, string>();
  const faults: { row: number; text: string }[] = [];
  for (const [index, cell] of cells.entries()) {
    if (index <= (found?.row ?? -1) || cell.trim() === '') continue;
    const read = siteCell(cell);
    if ('fault' in read) faults.push({ row: index + 1, text: read.fault });
    else if (!sites.has(siteKey(read.value))) sites.set(siteKey(read.value), read.value);
  }
  return { sites: [...sites.values()], faults };
}
