/** The files with which people move site rules to another organization: export and import. */
import type { Request } from 'express';
import { readOrFail } from '../../api/public/endpoint.ts';
import { readFormWithFile } from '../../api/uploads/multipart.ts';
import { SiteRulesImport } from '../../contract/siteRules.ts';
import { exportOfRules } from '../../core/siteRules/siteRuleJson.ts';
import type { SiteRuleRow } from '../../core/siteRules/siteRuleQueries.ts';
import { importSiteRules } from '../../core/siteRules/siteRules.ts';
import { invalid } from '../../domain/failure.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import type { PagesOptions } from '../parts/context.ts';
import { type FormState, field, otherFaults } from '../parts/formFields.ts';
import { hiddenFields } from '../parts/forms.ts';
import { redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';

export function sendExport({ response, viewer }: ViewerRequest, rules: readonly SiteRuleRow[]): 'sent' {
  const disposition = `attachment; filename="site-rules-${viewer.slug}.json"`;
  response
    .set({ 'Cache-Control': 'no-store', 'Content-Disposition': disposition })
    .type('json')
    .send(JSON.stringify(exportOfRules(rules), null, 2));
  return 'sent';
}

const FILE_MAX_BYTES = 4 * 1024 * 1024;

export const readFile = (request: Request) => readFormWithFile(request, FILE_MAX_BYTES);

export async function importFile(options: PagesOptions, given: ViewerRequest, file: Buffer): Promise<'sent'> {
  const { viewer, actor, paths } = given;
  const rules = readOrFail(SiteRulesImport, rulesIn(file));
  await options.store.db.transaction().execute((tx) => importSiteRules(tx, viewer.organizationId, rules, actor));
  return redirectTo(given, paths.settings('site_rules'), 'site_rules_imported');
}

function rulesIn(file: Buffer): unknown {
  if (file.length === 0) throw invalid({ file: ['is required: choose an exported file.'] });
  if (file.length > FILE_MAX_BYTES)
    throw invalid({ file: [`must be at most ${FILE_MAX_BYTES.toLocaleString('en')} bytes.`] });
  try {
    const json: unknown = JSON.parse(file.toString());
    return Array.isArray(json) ? { data: json } : json;
  } catch {
    throw invalid({ file: ['is not JSON: choose an exported file.'] });
  }
}

export function importForm({ viewer, paths }: Pick<ViewerRequest, 'viewer' | 'paths'>, { errors }: FormState): Html {
  const path = paths.settings('site_rules');
  const control = (attributes: HtmlContent) =>
    html`<input id="file" name="file" type="file" accept="application/json,.json" required${attributes}>`;
  return html`<p>A rule for the same host, path and devices replaces the existing one. Other rules stay. If a rule has a fault,
nothing is imported. Exported files contain no values of cookies and headers: existing rules keep theirs, and for new rules,
add them to the file first.</p>
${otherFaults(errors, ['file'])}
<form class="fields" method="post" action="${path}/import" enctype="multipart/form-data">${hiddenFields(viewer, path)}
${field({ name: 'file', label: 'File' }, errors, control)}${button({ label: 'Import' })}</form>`;
}
