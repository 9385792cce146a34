/** Routes of the downloads of a set. Those of shared pages are in sharedRoutes.ts. */
import type { Router } from 'express';
import { COST } from '../../api/limits/costs.ts';
import type { PagesOptions } from '../context.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { idOf, type RouteTools } from '../routing.ts';
import { type DownloadSource, downloadPage, startDownload } from './downloadPage.ts';

export function addDownloadRoutes(router: Router, options: PagesOptions, { handlers }: RouteTools): void {
  const path = '/o/:slug/screenshot_sets/:id';
  router.get(
    `${path}/export`,
    handlers.page('organization', (call) => startDownload(options, sourceOf(call), call), COST.heavy),
  );
  router.get(
    `${path}/exports/:export`,
    handlers.page('organization', (call) => downloadPage(options, sourceOf(call), call)),
  );
}

function sourceOf({ request, viewer, paths }: ViewerRequest): DownloadSource {
  const setId = idOf(request);
  const { organizationId } = viewer;
  return { organizationId, setId, audience: 'organization', path: paths.set(setId), base: paths.base };
}
