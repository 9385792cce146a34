/** The route of the API reference. */
import type { Router } from 'express';
import type { PagesOptions } from './context.ts';
import { pathsOf } from './paths.ts';
import { openApiDocument } from './reference/document.ts';
import { referencePage } from './reference/referencePage.ts';
import type { RouteTools } from './routing.ts';

export function addReferenceRoutes(router: Router, options: PagesOptions, { handlers }: RouteTools): void {
  const paths = pathsOf(options.publicUrl, '');
  const page = referencePage(openApiDocument(options.limits), options.publicUrl);
  router.get('/docs', (_request, response) => handlers.send(response, page, { paths }));
}
