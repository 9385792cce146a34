/** The layout of all pages: headers, head and top line. */
import type { Response } from 'express';
import type { Person } from '../../core/people/sessions.ts';
import type { Scope } from '../../domain/keys.ts';
import { textsOf } from '../../domain/texts/languages.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { AssetName } from '../assets.ts';
import { button, linkButton, menu } from './components.ts';
import type { ResultsPage, SectionName, Viewer } from './context.ts';
import { type PagePaths, rootPath } from './paths.ts';

interface Section {
  readonly title: string;
  path(paths: PagePaths): string;
  /** The scope that a key needs to see the section. */
  readonly scope: Scope;
}

/** In the order in which they are shown. */
const SECTIONS: Readonly<Record<Exclude<SectionName, 'new'>, Section>> = {
  campaigns: { title: 'Campaigns', path: (paths) => paths.campaigns, scope: 'read' },
  ads: { title: 'Ads', path: (paths) => paths.ads, scope: 'read' },
  integrations: { title: 'Integrations', path: (paths) => paths.deliveries, scope: 'read' },
  settings: { title: 'Settings', path: (paths) => paths.settings(), scope: 'admin' },
};

interface Policy {
  readonly pictureOrigins?: readonly string[];
  readonly inlineStyles?: boolean;
  /** See {@link ResultsPage}. */
  readonly isShared?: boolean | undefined;
}

/** Forbids inline scripts, content from other origins, frames around the page and, unless given, inline styles. */
function contentSecurity({ pictureOrigins = [], inlineStyles = false }: Policy): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${inlineStyles ? " 'unsafe-inline'" : ''}`,
    "font-src 'self'",
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
  const { language = 'en' } = page;
  const home = viewer === undefined ? rootPath(paths) : paths.organization;
  const brand = page.isShared
    ? html`<span class="brand">${page.brand ?? SERVICE}</span>`
    : html`<a class="brand" href="${home}" aria-label="Tearsheet">${SERVICE}</a>`;
  const text = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${page.title} · ${page.brandName ?? 'Tearsheet'}</title>
<link rel="icon" href="${paths.asset('icon.svg')}" type="image/svg+xml">
<link rel="preload" href="${paths.base}/assets/inter-5.3.0.woff2" as="font" type="font/woff2" crossorigin>
${assetsOf(page).map((name) => assetTag(name, paths))}
${page.brandStyle !== undefined && html`<link rel="stylesheet" href="${page.brandStyle}">`}
</head>
<body${page.isShared === true && html` class="shared"`}${page.events !== undefined && html` data-events="${page.events}"`}>
<a class="skip" href="#main">${textsOf(language).parts.page.skip}</a>
<header class="top${page.brand !== undefined && ' branded'}">
  ${brand}
  ${viewer !== undefined && !viewer.disabled && navigation(paths, viewer, page.section)}
  ${viewer !== undefined && account(paths, viewer)}
</header>
<main id="main">
${page.body}
</main>
${notice !== undefined && html`<p class="toast" role="status">${notice}</p>`}
</body>
</html>
`;
  sendHtml(response.status(page.status ?? 200), text, { pictureOrigins, isShared: page.isShared });
}

/** Sends a whole page. */
export function sendHtml(response: Response, page: Html, policy: Policy): void {
  response
    .set({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurity(policy),
      'Cache-Control': 'no-store',
      'Referrer-Policy': policy.isShared === true ? 'no-referrer' : 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    })
    .end(page.text);
}

function assetsOf({ assets = [], events, isShared = false }: ResultsPage): AssetName[] {
  // live.js compares parts of the page as the server sent them, so it runs before times.js changes them.
  const live = 'live.js' as const;
  const isLive = events !== undefined || assets.includes(live);
  const others = assets.filter((name) => name !== live);
  const times = isShared ? [] : (['times.js'] as const);
  return ['pages.css', ...(isLive ? [live] : []), ...times, 'components.js', ...others];
}

function assetTag(name: AssetName, paths: PagePaths): Html {
  return name.endsWith('.css')
    ? html`<link rel="stylesheet" href="${paths.asset(name)}">`
    : html`<script src="${paths.asset(name)}" defer></script>`;
}

/** The mark is that of icon.svg. */
const SERVICE = html`<svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
    <rect x="4" y="3" width="24" height="26" rx="3" fill="#1f5f6b"/>
    <path d="M8 9h16M8 13h6M8 17h6M8 21h16M8 25h10" stroke="#cfe3e6" stroke-width="1.6"/>
    <rect x="16" y="12" width="8" height="6.4" rx="1" fill="#f2a65a"/>
  </svg><span>Tearsheet</span>`;

/** The menu with the signed-in person or key, help, and sign-out. */
function account(paths: PagePaths, { slug, name: given, formToken, person, canWrite }: Viewer): Html {
  const name = given === '' ? 'Unnamed API key' : given;
  const session = person === undefined ? paths.organization : `${paths.base}/account`;
  return menu({ label: 'Account', icon: 'user-round', kind: 'quiet', iconOnly: true }, [
    html`<p><strong><bdi>${name}</bdi></strong><br><span class="meta org">${slug}</span></p>`,
    ...(person === undefined ? [] : personItems(paths, person, slug)),
    canWrite && linkButton({ href: paths.settings('site_rules'), label: 'Site rules', icon: 'map-pin' }),
    linkButton({ href: `${paths.organization}/help`, label: 'Help', icon: 'circle-question-mark' }),
    linkButton({ href: `${paths.base}/docs`, label: 'API reference', icon: 'plug' }),
    formToken !== '' &&
      html`<form method="post" action="${session}/sign-out">
        <input type="hidden" name="form" value="${formToken}">${button({ label: 'Sign out', icon: 'log-out' })}
      </form>`,
  ]);
}

/** At most this many other organizations are in the menu. The account lists all. */
const SWITCH_MOST = 8;

function personItems({ base, organization }: PagePaths, { memberships }: Person, current: string): Html[] {
  const others = memberships.filter(({ slug }) => slug !== current).slice(0, SWITCH_MOST);
  return [
    ...others.map(({ slug }) =>
      linkButton({ href: `${base}/o/${slug}`, label: `Switch to ${slug}`, icon: 'arrow-right' }),
    ),
    linkButton({ href: `${organization}/notices`, label: 'Notices', icon: 'bell' }),
    linkButton({ href: `${base}/account`, label: 'Your account', icon: 'user-round' }),
  ];
}

/** The main navigation of the pages of an organization. */
function navigation(paths: PagePaths, viewer: Viewer, current: SectionName | undefined): Html {
  const seen = Object.entries(SECTIONS).filter(([, { scope }]) => viewer.scopes.includes(scope));
  const items = seen.map(
    ([name, { title, path }]) =>
      html`<li><a href="${path(paths)}"${name === current && html` aria-current="page"`}>${title}</a></li>`,
  );
  return html`<nav class="sections" aria-label="Sections"><ul>${items}</ul></nav>
${viewer.canWrite && linkButton({ href: paths.newRequest, label: 'New request', icon: 'plus', kind: 'primary' })}`;
}

/** A page with a few sentences and perhaps a form. */
export function notePage(title: string, content: HtmlContent, status = 200): ResultsPage {
  return { title, status, body: html`<section class="signin"><h1>${title}</h1>${content}</section>` };
}

/** A page that only shows a text. */
export const messagePage = (title: string, text: string, status: number): ResultsPage =>
  notePage(title, html`<p>${text}</p>`, status);
