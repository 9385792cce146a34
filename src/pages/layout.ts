/** The layout of all pages: headers, head and top line. */
import type { Response } from 'express';
import type { Scope } from '../domain/keys.ts';
import { type Html, html } from '../lib/html.ts';
import type { AssetName } from './assets.ts';
import type { ResultsPage, SectionName, Viewer } from './context.ts';
import type { PagePaths } from './paths.ts';

interface Section {
  readonly title: string;
  path(paths: PagePaths): string;
  /** The scope that a key needs to see the section. */
  readonly scope: Scope;
}

/** In the order in which they are shown. */
const SECTIONS: Readonly<Record<SectionName, Section>> = {
  campaigns: { title: 'Campaigns', path: (paths) => paths.campaigns, scope: 'read' },
  sets: { title: 'Sets', path: (paths) => paths.sets, scope: 'read' },
  ads: { title: 'Ads', path: (paths) => paths.ads, scope: 'read' },
  new: { title: 'New request', path: (paths) => `${paths.organization}/new`, scope: 'write' },
  deliveries: { title: 'Deliveries', path: (paths) => paths.deliveries, scope: 'read' },
  settings: { title: 'Settings', path: (paths) => paths.settings(), scope: 'admin' },
};

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

export interface LayoutOptions {
  readonly paths: PagePaths;
  readonly viewer?: Viewer | undefined;
  readonly pictureOrigins: readonly string[];
  /** A message above the content. */
  readonly notice?: string | undefined;
}

export function sendPage(
  response: Response,
  page: ResultsPage,
  { paths, viewer, pictureOrigins, notice }: LayoutOptions,
): void {
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${page.title} · ${page.brandName ?? 'Tearsheet'}</title>
<link rel="icon" href="${paths.asset('icon.svg')}" type="image/svg+xml">
${assetsOf(page).map((name) => assetTag(name, paths))}
${page.brandStyle !== undefined && html`<link rel="stylesheet" href="${page.brandStyle}">`}
</head>
<body${page.isShared === true && html` class="shared"`}${page.events !== undefined && html` data-events="${page.events}"`}>
<a class="skip" href="#main">Skip to content</a>
<header class="top${page.brand !== undefined && ' branded'}">
  ${viewer === undefined ? html`<span class="brand">${page.brand ?? 'Tearsheet'}</span>` : html`<a class="brand" href="${paths.organization}">Tearsheet</a><span class="org">${viewer.slug}</span>`}
  ${viewer !== undefined && !viewer.disabled && navigation(paths, viewer, page.section)}
  ${viewer !== undefined && viewer.formToken !== '' && signOut(paths, viewer)}
</header>
<main id="main">
${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
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
      'Referrer-Policy': page.isShared === true ? 'no-referrer' : 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    })
    .end(text.text);
}

function assetsOf({ assets = [], events }: ResultsPage): AssetName[] {
  // live.js compares parts of the page as the server sent them, so it runs before times.js changes them.
  return ['pages.css', ...(events === undefined ? [] : ['live.js' as const]), 'times.js', ...assets];
}

function assetTag(name: AssetName, paths: PagePaths): Html {
  return name.endsWith('.css')
    ? html`<link rel="stylesheet" href="${paths.asset(name)}">`
    : html`<script src="${paths.asset(name)}" defer></script>`;
}

function signOut(paths: PagePaths, viewer: Viewer) {
  return html`<form class="signout" method="post" action="${paths.organization}/sign-out"><input type="hidden" name="form" value="${viewer.formToken}"><button class="quiet">Sign out</button></form>`;
}

/** The main navigation of the pages of an organization. */
function navigation(paths: PagePaths, viewer: Viewer, current: SectionName | undefined): Html {
  const seen = Object.entries(SECTIONS).filter(([, { scope }]) => viewer.scopes.includes(scope));
  const items = seen.map(
    ([name, { title, path }]) =>
      html`<li><a href="${path(paths)}"${name === current && html` aria-current="page"`}>${title}</a></li>`,
  );
  return html`<nav class="sections" aria-label="Sections"><ul>${items}</ul></nav>`;
}
