/** The pages of sets and campaigns, which both have share links and downloads. */
import { OWNERS } from '../../api/public/routes/owners.ts';
import type { Owner } from '../../core/sets/shownVersions.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';

export const OWNER_PAGES = OWNERS.map(({ path, of }) => ({ route: `/o/:slug/${path}/:id`, ownerOf: of }));

export const ownerPath = (paths: PagePaths, { setId, campaignId }: Owner): string =>
  setId ? paths.set(setId) : paths.campaign(campaignId ?? '');

/** The address of the share links. @param created the id of a new one. */
export const linksAddress = (paths: PagePaths, owner: Owner, created?: string): string =>
  addressOf(ownerPath(paths, owner), { ...(owner.setId && { tab: 'shared' }), ...(created && { created }) });
