import { conflict } from '../domain/failure.ts';
import { TEMPLATES_MAX } from '../domain/templates.ts';
import type { Queryable } from '../store/database/database.ts';
import { lockOrganizationById } from '../store/organizations/organizations.ts';
import { countTemplates, type TemplateRow, type TemplateToSave, upsertTemplate } from '../store/templates/templates.ts';

/** Saves a template under its name. @throws Failure (409) if the organization has too many. */
export async function saveTemplate(
  tx: Queryable,
  template: TemplateToSave,
): Promise<{ row: TemplateRow; created: boolean }> {
  await lockOrganizationById(tx, template.organizationId);
  const saved = await upsertTemplate(tx, template);
  if (saved.created && (await countTemplates(tx, template.organizationId)) > TEMPLATES_MAX)
    throw conflict('name', `would be the name of one more than ${TEMPLATES_MAX} templates: delete one first.`);
  return saved;
}
