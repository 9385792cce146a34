/** Serves the OpenAPI document. The pages show it at /docs. */
import type { Express } from 'express';
import { route } from '../server/route.ts';

/** @param document the OpenAPI document. */
export function serveOpenApi(app: Express, document: object): void {
  const text = JSON.stringify(document, undefined, 2);
  route(app, '/openapi.json', { get: (_request, response) => void response.type('json').send(text) });
}
