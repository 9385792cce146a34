/** The layout of all pages: headers, head and top line. */
import type { Response } from 'express';
import type { ResultsPage, Viewer } from './context.ts';
import { html } from './html.ts';
import type { PagePaths } from './paths.ts';

/** Forbids inline scripts and styles, content from other origins, and frames around the page. */
function contentSecurity(pictureOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", ...pictureOrigins].join(' ')}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

interface LayoutOptions {
  readonly paths: PagePaths;
  readonly viewer?: Viewer | undefined;
  readonly pictureOrigins: readonly string[];
}

export function sendPage(
  response: Response,
  page: ResultsPage,
  { paths, viewer, pictureOrigins }: LayoutOptions,
): void {
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${page.title} · Tearsheet</title>
<link rel="icon" href="${paths.asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${paths.asset('pages.css')}">
${page.events !== undefined && html`<script src="${paths.asset('live.js')}" defer></script>`}
</head>
<body${page.events !== undefined && html` data-events="${page.events}"`}>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
  ${viewer === undefined || viewer.sharedSet !== undefined ? html`<span class="brand">Tearsheet</span>` : html`<a class="brand" href="${paths.organization}">Tearsheet</a><span class="org">${viewer.slug}</span>`}
  ${viewer !== undefined && viewer.formToken !== '' && signOut(paths, viewer)}
</header>
<main id="main">
${page.body}
</main>
</body>
</html>
`;
  response
    .status(page.status ?? 200)
    .set({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurity(pictureOrigins),
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    })
    .end(text.text);
}

function signOut(paths: PagePaths, viewer: Viewer) {
  return html`<form class="signout" method="post" action="${paths.organization}/sign-out"><input type="hidden" name="form" value="${viewer.formToken}"><button class="quiet">Sign out</button></form>`;
}
