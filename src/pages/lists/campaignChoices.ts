import { readCampaign, readRecentCampaigns } from '../../core/sets/pageOfCampaigns.ts';
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
  const recent = await readRecentCampaigns(db, organizationId, OFFERED);
  const isMissing = chosen !== undefined && recent.every(({ id }) => id !== chosen);
  const other = isMissing ? await readCampaign(db, { id: chosen, organizationId }) : undefined;
  const offered = other === undefined ? recent : [other, ...recent];
  return [ANY, ...offered.map(({ id, name }) => [id, name] as const)];
}
