/** The pages of sets and campaigns, which both have share links and downloads. */
import type { Request } from 'express';
import type { Owner } from '../../core/sets/shownVersions.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { idOf } from './pageRoutes.ts';

export const OWNER_PAGES: readonly { readonly route: string; ownerOf(request: Request): Owner }[] = [
  { route: '/o/:slug/screenshot_sets/:id', ownerOf: (request) => ({ setId: idOf(request) }) },
  { route: '/o/:slug/campaigns/:id', ownerOf: (request) => ({ campaignId: idOf(request) }) },
];

export const ownerPath = (paths: PagePaths, { setId, campaignId }: Owner): string =>
  setId ? paths.set(setId) : paths.campaign(campaignId ?? '');

/** The address of the share links. @param created the id of a new one. */
export const linksAddress = (paths: PagePaths, owner: Owner, created?: string): string =>
  addressOf(ownerPath(paths, owner), { ...(owner.setId && { tab: 'shared' }), ...(created && { created }) });
