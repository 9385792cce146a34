/** Makes the JSON of templates and lists of sites. */
import { recordOf } from '../../contract/recordOf.ts';
import { SiteListRecord, TemplateRecord, templateFields } from '../../contract/savedObjects.ts';
import type { SavedRow } from './savedObjects.ts';

export function templateRecord(row: SavedRow<'request_templates'>): TemplateRecord {
  return recordOf(TemplateRecord, row, templateFields(row.body));
}

export function siteListRecord(row: SavedRow<'site_lists'>): SiteListRecord {
  return recordOf(SiteListRecord, row, { sites: [...row.body.sites] });
}
