/** Makes the JSON of site rules. */
import { recordOf } from '../../contract/recordOf.ts';
import { SiteRuleRecord } from '../../contract/siteRules.ts';
import type { SiteRuleRow } from './siteRuleQueries.ts';

export function siteRuleRecord(row: SiteRuleRow): SiteRuleRecord {
  const { cookies, headers, slots, hide, click, wait_for } = row.body;
  const withoutValues = (names: readonly string[]) => names.map((name) => ({ name, value: null }));
  return recordOf(SiteRuleRecord, row, {
    ...{ slots: [...slots], hide: [...hide], click: [...click], wait_for: [...wait_for] },
    ...{ cookies: withoutValues(cookies), headers: withoutValues(headers) },
  });
}

/** The file with which people move rules to another organization. It can be imported as it is, unless it has cookies or headers. */
export function exportOfRules(rows: readonly SiteRuleRow[]) {
  const note =
    'Values of cookies and headers are never exported. Add them before you import the file into another organization.';
  return { note, data: rows.map(siteRuleRecord) };
}
