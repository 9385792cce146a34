/** Routes of the page of one picture and its review. */
import type { Request, Router } from 'express';
import { reviewScreenshot } from '../../core/reviews/reviews.ts';
import { conflict } from '../../domain/failure.ts';
import { COMMENT_MAX, DECISIONS } from '../../domain/reviews.ts';
import { isUuid } from '../../domain/slugs.ts';
import { cutCodePoints, storable } from '../../domain/text.ts';
import type { PagesOptions } from '../context.ts';
import { formField } from '../forms.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { formBody, idOf, type RouteTools } from '../routing.ts';
import { picturePage } from './picturePage.ts';

export function addPictureRoutes(router: Router, options: PagesOptions, { handlers }: RouteTools): void {
  const path = '/o/:slug/screenshots/:id';
  router.get(
    path,
    handlers.page('organization', ({ request, viewer, paths }) =>
      picturePage(options, idOf(request), {
        ...{ viewer, paths },
        version: uuidOf(request, 'version'),
        compareWith: uuidOf(request, 'with'),
      }),
    ),
  );
  const review = async ({ request, viewer }: ViewerRequest) => {
    const decision = DECISIONS.find((name) => name === formField(request, 'decision'));
    if (decision === undefined && formField(request, 'decision') !== '') {
      throw conflict('decision', 'must be approved, rejected or none.');
    }
    const comment = cutCodePoints(storable(formField(request, 'comment')), COMMENT_MAX);
    const { organizationId, keyId } = viewer;
    await options.store.db
      .transaction()
      .execute((tx) =>
        reviewScreenshot(tx, { organizationId, screenshotId: idOf(request), keyId, decision, comment }, options),
      );
  };
  router.post(`${path}/review`, formBody(), handlers.form(review));
}

/** @returns '' if the query has no such id. */
function uuidOf(request: Request, name: string): string {
  const id = String(request.query[name] ?? '').toLowerCase();
  return isUuid(id) ? id : '';
}
