import { listCampaigns, readCampaign } from '../../core/sets/campaigns.ts';
import type { Queryable } from '../../db/database.ts';
import { ANY, type Choice } from './filterForm.ts';

/** The search finds the others. */
const OFFERED = 50;

/** @returns the campaigns that were active last, and the chosen one. */
export async function campaignChoices(
  db: Queryable,
  organizationId: string,
  chosen: string | undefined,
): Promise<Choice[]> {
  const { rows: recent } = await listCampaigns(db, { organizationId, sort: 'active' }, { page: 1, perPage: OFFERED });
  const isMissing = chosen !== undefined && recent.every(({ id }) => id !== chosen);
  const other = isMissing ? await readCampaign(db, { id: chosen, organizationId }) : undefined;
  const offered = other === undefined ? recent : [other, ...recent];
  return [ANY, ...offered.map(({ id, name }) => [id, name] as const)];
}
