/** The frame of all pages of the settings. */
import type { ResultsPage } from '../context.ts';
import { type HtmlContent, html } from '../html.ts';
import { messagePage } from '../messagePages.ts';
import type { PagePaths } from '../paths.ts';

/** In the order in which they are shown. The first one has no name in its address. */
const PAGES = {
  general: 'General',
  keys: 'API keys',
  webhooks: 'Webhooks',
  endpoints: 'Endpoints',
  connectors: 'S3 connectors',
  branding: 'Branding',
  audit_log: 'Audit log',
} as const;
export type SettingsPageName = keyof typeof PAGES;

interface Content {
  readonly paths: PagePaths;
  readonly current: SettingsPageName;
  readonly body: HtmlContent;
  readonly status?: number;
  readonly events?: string;
}

export function settingsPage({ paths, current, body, ...more }: Content): ResultsPage {
  const link = ([name, title]: [string, string]) =>
    html`<li><a href="${paths.settings(name === 'general' ? undefined : name)}"${name === current && html` aria-current="page"`}>${title}</a></li>`;
  return {
    ...more,
    title: PAGES[current] === 'General' ? 'Settings' : `${PAGES[current]}, settings`,
    section: 'settings',
    assets: ['settings.css'],
    body: html`<section class="head"><h1>Settings</h1>
<nav class="tabs" aria-label="Settings"><ul>${Object.entries(PAGES).map(link)}</ul></nav></section>
${body}`,
  };
}

/** The answer to a viewer whose key may not change settings. It has no forms. */
export const ADMINS_ONLY: ResultsPage = messagePage(
  'Only for administrators',
  'The key that you signed in with lacks the scope "admin". Sign out, then sign in with a key that has it.',
  403,
);
