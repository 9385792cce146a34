import type { Queryable } from '../../db/database.ts';
import { conflict, unknownId } from '../../domain/failure.ts';
import { TEMPLATES_MAX } from '../../domain/templates.ts';
import { lockOrganizationById } from '../organizations/organizations.ts';
import { noteRemoved } from '../removal/tombstones.ts';
import {
  countTemplates,
  deleteTemplate,
  type TemplateRow,
  type TemplateToSave,
  upsertTemplate,
} from './templateQueries.ts';

/** @throws Failure (404) */
export async function removeTemplate(tx: Queryable, one: { organizationId: string; id: string }): Promise<void> {
  if (!(await deleteTemplate(tx, one))) throw unknownId();
  await noteRemoved(tx, one);
}

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
