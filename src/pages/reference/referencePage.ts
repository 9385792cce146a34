/** The API reference: Scalar shows the OpenAPI document. */
import { html } from '../../lib/html.ts';
import { sendHtml } from '../parts/layout.ts';
import { type PagePaths, pathsOf, rootPath } from '../parts/paths.ts';
import type { PageRoutes } from '../routes/pageRoutes.ts';
import { findSignedIn, readHome } from '../signIn/viewer.ts';

/**
 * @param organization of the requests that a reader tries; '' if it is unknown. The page does not use the layout of the others,
 *   because the rules of pages.css for elements would override the styles of Scalar.
 */
function referencePage(paths: PagePaths, organization: string) {
  const document = `${paths.base}/openapi.json`;
  const keys = html`<a href="${paths.base}/o/${organization}/settings/keys">API key</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>API reference · Tearsheet</title>
<link rel="icon" href="${paths.asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${paths.asset('apiReference.css')}">
<script src="${paths.asset('apiReference.js')}" defer></script>
<script src="${paths.asset('scalar.js')}" defer></script>
</head>
<body>
<nav class="top" aria-label="Tearsheet">
  <a class="brand" href="${rootPath(paths)}">Tearsheet</a>
  <p>To try a request, enter an ${organization === '' ? 'API key' : keys} under <em>Authentication</em>.
    The page forgets it when you leave.</p>
  <a href="${document}">openapi.json</a>
</nav>
<noscript>
  <p>This reference needs JavaScript. <a href="${document}">openapi.json</a> (OpenAPI 3.1) has the same content for programs.</p>
</noscript>
<div id="reference" data-document="${document}" data-base="${paths.base}" data-organization="${organization}"></div>
</body>
</html>
`;
}

/** The route of the API reference. */
export function addReferenceRoutes(pages: PageRoutes): void {
  const { publicUrl, store } = pages.options;
  const paths = pathsOf(publicUrl, '');
  pages.router.get('/docs', async (request, response) => {
    const home = readHome(request) ?? (await findSignedIn(store.db, request))?.memberships[0]?.slug;
    const organization = home ?? '';
    // Scalar sets styles inline. Scripts and requests stay on this service, so it cannot send a key anywhere else.
    sendHtml(response, referencePage(paths, organization), { inlineStyles: true });
  });
}
