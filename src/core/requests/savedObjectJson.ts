/** Makes the JSON of templates and lists of sites. */
import { type SiteListRecord, type TemplateRecord, templateFields } from '../../contract/savedObjects.ts';
import { timestamp } from '../../domain/time.ts';
import type { SavedRow } from './savedObjects.ts';

export function templateRecord(row: SavedRow<'request_templates'>): TemplateRecord {
  return { type: 'template', ...namedFields(row), ...templateFields(row.body) };
}

export function siteListRecord(row: SavedRow<'site_lists'>): SiteListRecord {
  return { type: 'site_list', ...namedFields(row), sites: [...row.body.sites] };
}

function namedFields({ id, name, created_at, updated_at }: SavedRow<'request_templates' | 'site_lists'>) {
  return { id, name, created_at: timestamp(created_at), updated_at: timestamp(updated_at) };
}
