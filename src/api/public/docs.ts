/** Serves the API reference at /docs. All files come from this service, and the page has no inline script. */
import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type Express } from 'express';
import { route } from '../server/route.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tearsheet API</title>
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<link rel="icon" href="docs/assets/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null });
`;

const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;

/** @param document the OpenAPI document. */
export function serveDocs(app: Express, document: object): void {
  const text = JSON.stringify(document, undefined, 2);
  const folder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  route(app, '/openapi.json', { get: (_request, response) => void response.type('json').send(text) });
  route(app, '/docs', {
    get: (_request, response) => void response.set('Content-Security-Policy', POLICY).type('html').send(PAGE),
  });
  route(app, '/docs/start.js', { get: (_request, response) => void response.type('text/javascript').send(START) });
  for (const file of ASSETS)
    app.use(`/docs/assets/${file}`, express.static(path.join(folder, file), { maxAge: '1h', redirect: false }));
}
